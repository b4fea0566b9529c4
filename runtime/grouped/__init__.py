"""Grouped products: a stack of products whose members have their own numbers of rows or of terms, given by offsets."""
