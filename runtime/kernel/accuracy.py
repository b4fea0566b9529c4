"""The accuracy of kernels that are asked for without one: `ts.set_accuracy`.

It is one string of the process. A public function reads it once for each call and puts it into the request, so that a
kernel is found again by the accuracy it was made with, and a change in another thread comes before a call or after it.
"""

from __future__ import annotations

import os
from typing import Literal, cast

from ...microkernels.functions.accuracies import ACCURACIES, STANDARD
from ...microkernels.names import chosen

Accuracy = Literal["standard", "accurate", "fast"]

VARIABLE = "TILESMITH_ACCURACY"
"""An environment variable: the default of a process that does not say it."""

_default: str | None = None


def default_accuracy() -> Accuracy:
    """What `accuracy` is where a kernel is asked for without it: "standard", unless `set_accuracy` or the environment
    variable TILESMITH_ACCURACY says otherwise."""
    global _default
    if _default is None:
        _default = chosen(VARIABLE, os.environ.get(VARIABLE) or STANDARD, ACCURACIES)
    return cast(Accuracy, _default)


def set_accuracy(accuracy: Accuracy) -> Accuracy:
    """Make it the default of the whole process from now on; returns what it was before.

    `ts.set_accuracy("fast")` brings back the default of version 0.1. ValueError for what is no accuracy.
    """
    global _default
    before = default_accuracy()
    _default = chosen("accuracy", accuracy, ACCURACIES)
    return before
