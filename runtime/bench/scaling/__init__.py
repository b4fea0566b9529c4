"""Training steps on many machines, simulated from what is measured here."""
