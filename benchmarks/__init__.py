"""End to end: the same query by several readers, taking turns in one run. `./dev bench` is its command."""
