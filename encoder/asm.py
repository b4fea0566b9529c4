"""The assembler: a buffer that instructions are appended to, labels, a constant pool, loops, notes for the listing.

    asm = X86Assembler(target)
    with asm.loop(rcx, 16):
        asm.vfmadd231ps(zmm0, zmm1, dword[rsi].bcast)
    code = asm.finish("name")

Instructions are methods, made on first use from the architecture's table. A mnemonic that is a Python keyword takes a
trailing underscore (`and_`), and a dot or a space becomes an underscore (`lock_add`).
"""

from __future__ import annotations

import keyword
import struct
from collections.abc import Callable
from functools import partial
from itertools import accumulate, islice
from operator import itemgetter
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from . import emitter
from .code import CODE_ALIGNMENT, Code, PoolEntry, Recorded, Reference, Remark, Repeated, Role, each_recorded
from .deferred import lazy
from .errors import EncodeError, shown
from .features import Target
from .operands import Label, integer, name_of, number
from .records import new
from .table import Emitter, InstructionTable

if TYPE_CHECKING:
    import difflib

difflib = lazy(None, "difflib")


_FORM = itemgetter(0)  # the form of a record


class Place(Protocol):
    """The bits of an instruction word that hold a distance."""

    def insert(self, distance: int, /) -> int:
        """Return the bits that encode the distance. Raises EncodeError if it does not fit."""


def check_alignment(boundary: int) -> int:
    """Return the boundary. Raises EncodeError unless it is a power of two that the placement of code preserves."""
    exact = integer(boundary, "alignment")
    if exact not in (1, 2, 4, 8, 16, 32, CODE_ALIGNMENT):
        raise EncodeError(
            f"alignment {shown(exact)}: must be a power of two up to {CODE_ALIGNMENT}, the alignment of the whole code"
        )
    return exact


def _packed(layout: str, value: float) -> bytes:
    """Return the bytes of a real number. Raises EncodeError if it is not one, or is too large."""
    exact = number(value)
    if type(exact) is not float and type(exact) is not int:
        raise EncodeError(f"constant {shown(value)}: is not a real number")
    try:
        return struct.pack(layout, exact)
    except (OverflowError, struct.error):  # raised for a float, and for an integer that no float holds
        raise EncodeError(f"constant {shown(value)}: is too large for {8 * struct.calcsize(layout)} bits") from None


def _bytes(data: Any) -> bytes:
    """Return the bytes of any object that exposes them. Raises EncodeError for other objects, or references to
    objects."""
    if type(data) is bytes:
        return data
    try:
        view = memoryview(data)
        if "O" not in view.format:
            return bytes(view)
    except Exception:  # whatever a foreign object raises, it exposes no bytes
        pass
    raise EncodeError(f"constant {shown(data)}: is not bytes, nor an array of numbers")


class Assembler:
    """The base class of both architectures' assemblers. A subclass names its table and how to fill gaps."""

    arch: ClassVar[str]
    table: ClassVar[InstructionTable]
    fill: ClassVar[bytes]  # fills the gap before the constant pool
    result: ClassVar[type[Code]] = Code

    def __init__(self, target: Target) -> None:
        if not isinstance(target, Target):
            raise EncodeError(f"target {shown(target)}: is not a Target, such as TARGETS[name]")
        if target.arch != self.arch:
            raise EncodeError(f"target {target.name} is {target.arch}, this assembler is {self.arch}")
        self.target = target
        self.buffer = bytearray()
        self.record: list[Recorded] = self._new_record()
        self.output = self.record, self.buffer  # every instruction appends to both, found by one look-up
        self.notes: list[tuple[int, str | Remark]] = []
        self.roles: list[Role] = []
        self.labels: list[Label] = []
        self._names: set[str] = set()  # names of the bound labels
        self._made = 0  # number of labels
        self._forms: set[Any] = set()  # forms of the first `_known` instructions
        self._known = 0
        self._fixups: list[tuple[int, int | Place, int, Label, int]] = []
        self._pool: dict[tuple[bytes, int], Label] = {}
        self._aligned = 1  # the largest alignment of any instruction

    def __repr__(self) -> str:
        return f"<assembler for {self.target.name}: {len(self.record)} instructions, {len(self.buffer)} bytes>"

    def _new_record(self) -> list[Recorded]:
        """Return the list that instructions are appended to. A subclass may refuse some of them there."""
        return []

    def _method(self, name: str) -> Emitter:
        """Return the instruction as a bound method, and add it to the class."""
        mnemonic = name.rstrip("_")
        spellings = (mnemonic, mnemonic.replace("_", "."), mnemonic.replace("_", " "))
        known = next((spelling for spelling in spellings if spelling in self.table), "")
        if name.startswith("__") or not known:
            near = ", ".join(difflib.get_close_matches(mnemonic, self.table, cutoff=0.8))
            raise AttributeError(
                f"{type(self).__name__} has no instruction {name!r}" + (f"; near: {near}" * bool(near))
            )
        emitter = self.table.emitter(known)
        setattr(type(self), name, emitter)
        bound: Emitter = getattr(self, name)
        return bound

    if not TYPE_CHECKING:  # type checkers see only the mnemonics in the stubs
        __getattr__ = _method

    def align(self, boundary: int) -> None:
        """Pad with instructions that do nothing, up to a multiple of `boundary` bytes."""
        raise NotImplementedError

    def gap(self, boundary: int) -> int:
        """Return the bytes from here to the next multiple of `boundary`. The code that follows counts as aligned to
        it."""
        exact = check_alignment(boundary)
        self._aligned = max(self._aligned, exact)
        return -len(self.buffer) % exact

    # Labels and fixups

    def label(self, name: str = "") -> Label:
        """Return a new label that is not bound yet."""
        self._made += 1
        return Label(f".L{self._made}" if type(name) is str and not name else name)

    def bind(self, label: Label) -> Label:
        """Bind the label here. If another label has its name, a number is appended."""
        if not isinstance(label, Label):
            raise EncodeError(f"{shown(label)}: is not a label")
        if label.offset is not None:
            raise EncodeError(f"label {label} is bound twice")
        while label.name in self._names:
            label.name += f".{len(self.labels)}"
        self._names.add(label.name)
        label.offset = len(self.buffer)
        self.labels.append(label)
        return label

    def here(self, name: str = "") -> Label:
        """Return a new label bound here."""
        return self.bind(self.label(name))

    def fixup(self, label: Label, position: int, place: int | Place, origin: int, addend: int) -> None:
        """Request that the bytes at `position` hold label + addend - origin. `place` is the number of bytes, or the
        bits of a 32-bit word."""
        if type(label) is not Label and not isinstance(label, Label):
            raise EncodeError(f"{shown(label)}: is not a label")
        if not type(position) is type(origin) is type(addend) is int:
            position, origin = integer(position, "position"), integer(origin, "origin")
            addend = integer(addend, "addend")
        if type(place) is not int and not hasattr(type(place), "insert"):
            place = integer(place, "place")
        self._fixups.append((position, place, origin, label, addend))

    def _forget_fixups(self) -> None:
        """Drop the fixups of an instruction that is refused, which lie behind the code."""
        while self._fixups and self._fixups[-1][0] >= len(self.buffer):
            self._fixups.pop()

    def _resolve(self, labels: dict[Label, int]) -> None:
        for position, place, origin, label, addend in self._fixups:
            if label not in labels:
                reason = "is used and never bound" if label.offset is None else "is bound by another assembler"
                raise EncodeError(f"label {label} {reason}")
            distance = labels[label] + addend - origin
            if not isinstance(place, int):
                self._insert(position, place, label, distance)
                continue
            try:
                self.buffer[position : position + place] = distance.to_bytes(place, "little", signed=True)
            except OverflowError:
                raise EncodeError(f"label {label} is {distance} bytes away, too far for {8 * place} bits") from None

    def _insert(self, position: int, place: Place, label: Label, distance: int) -> None:
        """Insert a distance into bits of the 32-bit word at `position`."""
        word = int.from_bytes(self.buffer[position : position + 4], "little")
        try:
            word |= place.insert(distance)
        except EncodeError as error:
            raise EncodeError(f"label {label} is {distance} bytes away, which {error}") from None
        self.buffer[position : position + 4] = word.to_bytes(4, "little")

    def remove(self, start: int, end: int) -> None:
        """Remove the instructions from `start` to `end`, which turned out to be unnecessary. The code that follows
        moves up.

        Raises EncodeError if the range is outside the code, if a label is bound inside it, or if aligned code that
        follows would lose its alignment.
        """
        start, end = integer(start, "start"), integer(end, "end")
        if not 0 <= start <= end <= len(self.buffer):
            raise EncodeError(
                f"bytes {shown(start)} to {shown(end)}: outside the code, which has {len(self.buffer)} bytes"
            )
        size = end - start
        if any(label.offset is not None and start < label.offset < end for label in self.labels):
            raise EncodeError(f"bytes {start} to {end}: a label is bound there")
        if size % self._aligned:
            raise EncodeError(
                f"bytes {start} to {end}: removing them would move code that is aligned to {self._aligned} bytes"
            )
        if any(isinstance(form, Repeated) for form in self.forms):
            self.record[:] = each_recorded(self.record)
        del self.buffer[start:end]
        self._forms, self._known = set(), 0

        def moved(at: int) -> int:
            return at - size if at >= end else at

        offsets = [*accumulate((len(data) for _, _, data in self.record), initial=0)]
        first, behind = (next(n for n, offset in enumerate(offsets) if offset >= at) for at in (start, end))
        del self.record[first:behind]
        self.notes[:] = [(moved(at), text) for at, text in self.notes if not start <= at < end]
        self.roles[:] = [role._replace(start=moved(role.start), end=moved(role.end)) for role in self.roles]
        self._fixups = [
            (moved(at), place, moved(origin), label, addend)
            for at, place, origin, label, addend in self._fixups
            if not start <= at < end
        ]
        for label in self.labels:
            label.offset = moved(label.offset or 0)

    # Constant pool

    def const(self, data: bytes, align: int = 0) -> Label:
        """Return the label of these bytes in the constant pool. Equal constants share one place.

        They are aligned to `align` bytes, or by default as an element or vector of their size is.
        """
        data, align = _bytes(data), integer(align, "alignment")
        key = data, check_alignment(align) if align else min(1 << (len(data) - 1).bit_length(), CODE_ALIGNMENT)
        found = self._pool.get(key)
        if found is None:
            found = self._pool[key] = Label(f".LC{len(self._pool)}")
        return found

    def const_f32(self, value: float) -> Label:
        """Return the label of one f32."""
        return self.const(_packed("<f", value))

    def const_f64(self, value: float) -> Label:
        """Return the label of one f64."""
        return self.const(_packed("<d", value))

    def note(self, text: str | Remark) -> None:
        """Add a remark to the listing, beside the next instruction. The text of a `Remark` is made when the listing is
        read."""
        known = type(text) is str or isinstance(text, Remark)
        self.notes.append((len(self.buffer), text if known else name_of(text, "note")))

    # Finishing

    def finish(self, name: str = "kernel") -> Code:
        """Place the pool, resolve the fixups and check features. The assembler must not be used afterwards."""
        title = name_of(name, "name")
        features = self._features()
        text_size = len(self.buffer)
        entries: list[PoolEntry] = []
        for (data, align), label in sorted(self._pool.items(), key=lambda item: -item[0][1]):
            start = text_size if not entries else len(self.buffer)
            self.buffer += self.fill * (-len(self.buffer) % (align if entries else CODE_ALIGNMENT))
            entries.append(PoolEntry(label.name, len(self.buffer), data, len(self.buffer) - start))
            label.offset = len(self.buffer)
            self.buffer += data
        pooled = set(self._pool.values())
        bound = {label: label.offset for label in [*self.labels, *pooled] if label.offset is not None}
        self._resolve(bound)
        labels = {label.name: label.offset for label in self.labels if label.offset is not None}
        references = tuple(
            new(Reference, (position, place, bound[label] + addend, origin))
            for position, place, origin, label, addend in self._fixups
            if label in pooled and isinstance(place, int)
        )
        return self.result(
            title,
            self.arch,
            self.target,
            bytes(self.buffer),
            text_size,
            tuple(self.record),
            tuple(entries),
            labels,
            tuple(self.notes),
            features,
            references,
            tuple(self.roles),
        )

    @property
    def forms(self) -> set[Any]:
        """The distinct forms of the instructions so far."""
        self._forms.update(map(_FORM, islice(self.record, self._known, None)))
        self._known = len(self.record)
        return self._forms

    def _features(self) -> frozenset[str]:
        """Return the features that the instructions need. EncodeError names the first instruction that the target
        cannot run."""
        features: frozenset[str] = frozenset().union(*{form.features for form in self.forms})
        if not features <= self.target.features:
            form = next(form for form, _, _ in self.record if self.target.missing(form.features))
            missing = ", ".join(self.target.missing(form.features))
            raise EncodeError(f"{form.syntax()}: target {self.target.name} has no {missing}")
        return features


class Intercepting(Assembler):
    """An assembler whose instructions go through `_emit`."""

    def __getattribute__(self, name: str) -> Any:
        """Return an attribute. Instructions are wrapped, and each wrapped one is kept."""
        found = super().__getattribute__(name)
        if type(found) is MethodType and found.__func__.__module__ == emitter.__name__:
            found = self.__dict__[name] = partial(self._emit, found)
        return found

    def _emit(self, emit: Callable[..., None], *operands: object) -> None:
        """Take an instruction: the method that appends it, and its operands."""
        raise NotImplementedError


def method_name(mnemonic: str) -> str:
    """The mnemonic as an attribute name of an assembler: and_, lock_add, loop_ (loop is a context manager)."""
    name = mnemonic.replace(" ", "_").replace(".", "_")
    return f"{name}_" if keyword.iskeyword(name) or hasattr(Assembler, name) or name == "loop" else name
