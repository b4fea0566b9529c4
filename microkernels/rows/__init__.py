"""Products with rows given at the call: the request (`spec`), blocks for any number of rows (`plan`), code (`emit`)."""
