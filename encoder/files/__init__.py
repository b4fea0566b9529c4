"""Files of functions for linkers and compilers, by their endings (`store`): libraries and declarations for C and Fortran."""
