"""Random sequences of changes to a table, by Spark and by pylance, and what it must hold after each of them."""
