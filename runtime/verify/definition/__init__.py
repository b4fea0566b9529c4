"""What each request means, written once: `evaluate(request, algebra)`; see `evaluate` and `algebra`."""
