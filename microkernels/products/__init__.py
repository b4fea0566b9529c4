"""The ways to compute a product, and the choice between them: see `pipeline` and microkernels/choice.py."""
