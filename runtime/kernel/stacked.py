"""What the kind of stacks of products consists of, imported when the first such request is made."""

from __future__ import annotations

from ...microkernels.gemm.stack_spec import parameters as parameters
from ..arguments.stack import StackCall as StackCall
from ..arguments.stack import description as description
from ..arguments.stack import regions as regions
from ..arguments.stack import signature as signature
from ..fastcall.guards_stack import stack_entry as stack_entry
