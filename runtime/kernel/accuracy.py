"""The default accuracy of kernels: `ts.set_accuracy`.

The default is a single string for the whole process. A public function reads it once per call and puts it into the
request. So a kernel is found again by the accuracy that it was made with, and a change in another thread takes effect
before or after a call, never during one.
"""

from __future__ import annotations

from typing import Literal, cast

from ...microkernels.functions.accuracies import ACCURACIES, STANDARD
from ...microkernels.names import chosen
from ..system.environment import ACCURACY, value

Accuracy = Literal["standard", "accurate", "fast"]

of_process: Accuracy | None = None
"""The default accuracy, once it was read or set."""


def default_accuracy() -> Accuracy:
    """Return the accuracy of kernels that are requested without one: "standard", unless `set_accuracy` or the
    environment variable TILESMITH_ACCURACY says otherwise."""
    global of_process
    if of_process is None:
        of_process = cast(Accuracy, chosen(ACCURACY, value(ACCURACY) or STANDARD, ACCURACIES))
    return of_process


def set_accuracy(accuracy: Accuracy) -> Accuracy:
    """Set the default accuracy of the whole process and return the previous one.

    `ts.set_accuracy("fast")` restores the default of version 0.1. Raises ValueError for an unknown accuracy.
    """
    global of_process
    before = default_accuracy()
    of_process = cast(Accuracy, chosen("accuracy", accuracy, ACCURACIES))
    return before
