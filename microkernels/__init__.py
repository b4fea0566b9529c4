"""Math in, instructions out: kernels as functions of a vector machine."""
