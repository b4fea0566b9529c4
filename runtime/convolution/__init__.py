"""Convolutions of images, sequences and volumes, as contractions: see `conv2d` and `conv`."""
