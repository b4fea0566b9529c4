"""Operands of x86-64 for `ts.assembler`: registers by name, memory, rounding. docs/assembler.md describes them."""

from .encoder.x86.names import *  # noqa: F403
from .encoder.x86.registers import byte as byte
from .encoder.x86.registers import dword as dword
from .encoder.x86.registers import ptr as ptr
from .encoder.x86.registers import qword as qword
from .encoder.x86.registers import rd_sae as rd_sae
from .encoder.x86.registers import rn_sae as rn_sae
from .encoder.x86.registers import ru_sae as ru_sae
from .encoder.x86.registers import rz_sae as rz_sae
from .encoder.x86.registers import sae as sae
from .encoder.x86.registers import word as word
from .encoder.x86.registers import xmmword as xmmword
from .encoder.x86.registers import ymmword as ymmword
from .encoder.x86.registers import zmmword as zmmword
