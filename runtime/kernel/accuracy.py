"""The accuracy of kernels that are asked for without one: `ts.default_accuracy`.

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


def default_accuracy(accuracy: Accuracy | None = None) -> Accuracy:
    """What `accuracy` is where a kernel is asked for without it: "standard", unless TILESMITH_ACCURACY says otherwise.

    Given an accuracy, it is the default of the whole process from then on, and what it was before is returned:
    `ts.default_accuracy("fast")` brings back the default of version 0.1.
    """
    global _default
    before = _default
    if before is None:
        before = chosen(VARIABLE, os.environ.get(VARIABLE) or STANDARD, ACCURACIES)
        _default = before
    if accuracy is not None:
        _default = chosen("accuracy", accuracy, ACCURACIES)
    return cast(Accuracy, before)
