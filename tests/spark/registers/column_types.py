"""Claims of docs/column-types.md."""

from tests.spark.claims import Claim, Section

REGISTER: dict[str, Section] = {
    "Types of columns": Section(
        [Claim("a key selects a type", "FixedSizeListsSuite: floats have 16 bits if requested, and keep them")]
    ),
    "Choosing a type": Section(
        [
            Claim(
                '`df.withMetadata("v", {"arrow.fixed-size-list.size": 128})`, options and table properties',
                "test_types_of_spark::test_table_properties_and_clauses_say_what_columns_are",
                "FixedSizeListsSuite: a fixed-size list records its size in the column's metadata, and is restored",
            ),
        ],
        {
            "`arrow.fixed-size-list.size`": (
                "test_types_of_spark::test_fixed_size_lists_anywhere",
                "test_inputs::test_lists_stay_lists_until_they_are_made_vectors",
            ),
            "`arrow.float16`, `arrow.bfloat16`": ("test_types_of_spark::test_vectors_of_halves",),
            "`arrow.type`": (
                "SchemaConverterSuite: new columns, and items of vectors, have the type that their metadata ask for",
                "test_inputs::test_types_of_arrow_that_spark_lacks_are_kept",
                "test_peer_statements::test_unsigned_integers_are_made_in_each_way",
            ),
            "`ARROW:extension:name`": (
                "SchemaConverterSuite: texts of JSON are stored as JSON, if the metadata asks for it",
                "test_types_of_spark::test_json_columns_by_a_table_property",
            ),
            "`lance-encoding:packed`": ("test_packed_writes::test_makes_packed_structs_when_asked",),
            "`lance-encoding:blob`": ("test_blob_writes::test_makes_blobs_when_asked",),
            "`lance-encoding:…`": ("test_types_of_spark::test_hints_for_encoders_are_kept_wherever_they_are",),
            "`lance-schema:…`": ("test_constraints::test_pylance_takes_our_primary_key_for_its_merges",),
        },
    ),
    "Nested fields and other metadata": Section(
        [
            Claim(
                "`struct.field`, `list.item`, `map.key`, `map.value`; in metadata `item.arrow.fixed-size-list.size`",
                "test_types_of_spark::test_fixed_size_lists_anywhere",
                "FixedSizeListsSuite: lists, maps and structs hold fixed-size lists, each with a size of its own",
            ),
            Claim(
                "numbers and truth values of a column's metadata are stored as texts",
                "SchemaConverterSuite: numbers and truth values in metadata are stored as texts, and come back as "
                "they were",
            ),
            Claim(
                "a copy is like the table, except `arrow.type`",
                "FixedSizeListsSuite: floats have 16 bits if requested, and keep them",
                "SchemaConverterSuite: metadata records the stored type where Spark's does not determine it, and is "
                "not written back",
            ),
            Claim(
                "`mergeSchema`: options say what new columns are",
                "TablePropertiesSuite: columns that mergeSchema adds are what the options say",
            ),
        ]
    ),
    "What is refused": Section(
        [
            Claim(
                "refused: `v.arrow.fixed_size_list.size`; too late: `ALTER TABLE … SET TBLPROPERTIES`, "
                "`CREATE TABLE … LOCATION`",
                "TablePropertiesSuite: a setting of a column that exists comes too late, unless it says what "
                "the column is",
                "TablePropertiesSuite: settings of two kinds of floats are refused",
            ),
            Claim(
                "`ALTER TABLE … SET TBLPROPERTIES` makes vectors of lists",
                "VectorConversionSuite: lists of lists become lists of vectors, and fields of structs vectors",
            ),
        ]
    ),
}
