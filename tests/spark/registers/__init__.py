"""Claims of the pages on options, reading and writing, with the tests that hold them: a module a page."""

HERE = "test_claims_of_options::"
BATCHES = "BatchesSuite: a batch that is written again by path changes nothing, and its query does not run"
LISTED = "LanceOptionsSuite: docs/options.md lists every option with its default"
OVERWRITES = "test_keep_indices::test_every_overwrite_takes_the_option"
