"""What the silicon does, in numpy, bit for bit."""
