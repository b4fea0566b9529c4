"""`tilesmith info --coverage`: see `table`, `trial` and `eltwise_model`."""
