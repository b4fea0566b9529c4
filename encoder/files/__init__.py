"""Functions in files for linkers and compilers, by their endings (`store`): `header`, `archive`, `library`."""
