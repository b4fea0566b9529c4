"""The accuracy of kernels that are asked for without one: `ts.set_accuracy`.

It is one string of the process. A public function reads it once for each call and puts it into the request, so that a
kernel is found again by the accuracy it was made with, and a change in another thread comes before a call or after it.
"""

from __future__ import annotations

from typing import Literal, cast

from ...microkernels.functions.accuracies import ACCURACIES, STANDARD
from ...microkernels.names import chosen
from ..system.environment import ACCURACY, value

Accuracy = Literal["standard", "accurate", "fast"]

of_process: Accuracy | None = None
"""The default, once it was asked for or set."""


def default_accuracy() -> Accuracy:
    """What `accuracy` is where a kernel is asked for without it: "standard", unless `set_accuracy` or the environment
    variable TILESMITH_ACCURACY says otherwise."""
    global of_process
    if of_process is None:
        of_process = cast(Accuracy, chosen(ACCURACY, value(ACCURACY) or STANDARD, ACCURACIES))
    return of_process


def set_accuracy(accuracy: Accuracy) -> Accuracy:
    """Make it the default of the whole process from now on; returns what it was before.

    `ts.set_accuracy("fast")` brings back the default of version 0.1. ValueError for what is no accuracy.
    """
    global of_process
    before = default_accuracy()
    of_process = cast(Accuracy, chosen("accuracy", accuracy, ACCURACIES))
    return before
