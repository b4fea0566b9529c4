"""`tilesmith info --coverage`: see `table` and `trial`."""
