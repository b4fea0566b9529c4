"""Records behave like dataclasses of the standard library: each test asks both."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import threading
import typing
from typing import Any, ClassVar

import pytest

from tilesmith.encoder import records

DECORATORS = [dataclasses.dataclass, records.dataclass]


def classes(dataclass: Any, **options: Any) -> tuple[Any, Any]:
    """Return a class, and a class that inherits its fields."""

    @dataclass(**options)
    class Base:
        """A base."""

        shared: ClassVar[int] = 7
        x: int
        y: Any = dataclasses.field(default_factory=list, compare=False, repr=False)

        def __post_init__(self) -> None:
            vars(self)["doubled"] = 2 * self.x

    @dataclass(**options)
    class Derived(Base):
        """More fields."""

        z: float = 0.5
        w: int = dataclasses.field(default=3, kw_only=True)

    return Base, Derived


@dataclasses.dataclass(frozen=True)
class Usual:
    """A dataclass at the top of the module, as pickle needs it."""

    a: int
    b: tuple[int, ...] = ()


@records.dataclass(frozen=True)
class Record:
    """The same fields as a record."""

    a: int
    b: tuple[int, ...] = ()


ASKED = [
    lambda base, derived: repr(derived(1, [2], z=4.0)),
    lambda base, derived: repr(base(1)),
    lambda base, derived: derived(1) == derived(1, [5]),
    lambda base, derived: derived(1) == derived(1, w=4),
    lambda base, derived: base(1) == derived(1),
    lambda base, derived: base(1) == 1,
    lambda base, derived: hash(derived(1)) == hash(derived(1, [5])),
    lambda base, derived: hash(derived(1)),
    lambda base, derived: dataclasses.replace(derived(1), x=9).doubled,
    lambda base, derived: dataclasses.asdict(derived(1)),
    lambda base, derived: dataclasses.astuple(derived(1, [5])),
    lambda base, derived: [each.name for each in dataclasses.fields(derived)],
    lambda base, derived: derived.__match_args__,
    lambda base, derived: (derived.z, derived.w, base.shared),
    lambda base, derived: (derived(1).y is derived(1).y, derived(1).y),
    lambda base, derived: copy.copy(derived(1)) == derived(1),
    lambda base, derived: setattr(derived(1), "x", 2),
    lambda base, derived: setattr(derived(1), "other", 2),
    lambda base, derived: delattr(derived(1), "x"),
    lambda base, derived: derived(),
    lambda base, derived: derived(1, 2, 3, 4),
    lambda base, derived: derived(1, v=2),
]


@pytest.mark.parametrize("options", [{"frozen": True}, {}, {"frozen": True, "eq": False}], ids=str)
@pytest.mark.parametrize("asked", ASKED, ids=map(str, range(len(ASKED))))
def test_a_record_answers_as_a_dataclass(asked: Any, options: dict[str, bool]) -> None:
    answers = []
    for dataclass in DECORATORS:
        base, derived = classes(dataclass, **options)
        try:
            answers.append(asked(base, derived))
        except Exception as error:
            answers.append((type(error), str(error)))
    if options.get("eq", True) or "hash" not in inspect.getsource(asked):  # without eq, the hash is by identity
        assert answers[0] == answers[1]


@pytest.mark.parametrize("first", DECORATORS)
@pytest.mark.parametrize("second", DECORATORS)
def test_each_inherits_from_the_other(first: Any, second: Any) -> None:
    base, _ = classes(first, frozen=True)

    @second(frozen=True)
    class Derived(base):  # type: ignore[misc, valid-type]
        """A class that inherits from a class of the other kind."""

        z: int = 1

    made = Derived(1, z=2)
    assert (made.x, made.z, made.doubled) == (1, 2, 2) and made == Derived(1, z=2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.z = 3
    with pytest.raises(TypeError, match="frozen"):
        second(type("Thawed", (base,), {"__annotations__": {}}))


@pytest.mark.parametrize("kind", [Usual, Record])
def test_unpickled_before_any_object_was_made(kind: type) -> None:
    """Pickle fills an object without calling __init__."""
    made: Any = object.__new__(kind)
    vars(made).update(a=1, b=(2,))
    again = pickle.loads(pickle.dumps(made))
    assert again == made and hash(again) == hash(made)
    assert again == kind(1, (2,))


def test_first_objects_of_many_threads() -> None:
    for _ in range(20):
        _, derived = classes(records.dataclass, frozen=True)
        barrier, made = threading.Barrier(8), []

        def make(derived: Any = derived, barrier: Any = barrier, made: list[Any] = made) -> None:
            barrier.wait()
            made.append(derived(1, z=2.0))

        threads = [threading.Thread(target=make) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert made == [derived(1, z=2.0)] * 8


class UsualTuple(typing.NamedTuple):
    """A named tuple at the top of the module, as pickle needs it."""

    a: int
    b: str = "b"

    @property
    def both(self) -> str:
        """Return both fields as text."""
        return f"{self.a}{self.b}"


class RecordTuple(records.NamedTuple):
    """The same named tuple, made by records."""

    a: int
    b: str = "b"

    @property
    def both(self) -> str:
        """Return both fields as text."""
        return f"{self.a}{self.b}"


class Empty(records.NamedTuple):
    """A named tuple without fields."""


T = typing.TypeVar("T")


class Pair(records.NamedTuple, typing.Generic[T]):
    """A generic named tuple."""

    first: T


TUPLES_ASKED = [
    lambda kind: kind._fields,
    lambda kind: kind._field_defaults,
    lambda kind: kind.__match_args__,
    lambda kind: type(kind),
    lambda kind: isinstance(kind(1), tuple),
    lambda kind: tuple(kind(1)),
    lambda kind: repr(kind(1, b="c")).partition("(")[2],
    lambda kind: kind(b="c", a=2) == (2, "c") and hash(kind(2, "c")) == hash((2, "c")),
    lambda kind: (kind(1).a, kind(1).b, kind(1).both),
    lambda kind: kind(1)._replace(b=3)._asdict(),
    lambda kind: tuple(kind._make([4, 5])),
    lambda kind: tuple(pickle.loads(pickle.dumps(kind(1, "x")))),
    lambda kind: type(copy.deepcopy(kind(1))) is kind and type(kind(1)._replace(a=2)) is kind,
    lambda kind: hasattr(kind(1), "__dict__"),
    lambda kind: kind.a.__doc__,
]


@pytest.mark.parametrize("ask", TUPLES_ASKED)
def test_named_tuples_behave_like_the_standard_library(ask):
    wanted, found = ask(UsualTuple), ask(RecordTuple)
    assert found == wanted


@pytest.mark.parametrize(
    "wrong",
    [
        lambda kind: kind(),
        lambda kind: kind(1, 2, 3),
        lambda kind: kind(1, c=2),
        lambda kind: kind(1, a=1),
        lambda kind: kind._make([1]),
        lambda kind: setattr(kind(1), "a", 2),
        lambda kind: setattr(kind(1), "other", 2),
        lambda kind: kind(1)._replace(d=2),
    ],
)
def test_named_tuples_refuse_the_same(wrong):
    with pytest.raises((TypeError, AttributeError, ValueError)) as wanted:
        wrong(UsualTuple)
    with pytest.raises((TypeError, AttributeError, ValueError)) as found:
        wrong(RecordTuple)
    assert issubclass(found.type, (TypeError if wanted.type is ValueError else wanted.type, ValueError))


def test_named_tuples_of_no_field_of_a_type_and_by_threads():
    assert Empty() == () and repr(Empty()) == "Empty()"
    assert Pair[int](3).first == 3 and isinstance(Pair(4), Pair)
    assert isinstance(Pair(4), typing.Generic)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="default"):

        class Wrong(records.NamedTuple):
            a: int = 1
            b: int

    class Fresh(records.NamedTuple):
        a: int

    made: list[Any] = []
    threads = [threading.Thread(target=lambda: made.append(Fresh(1))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert made == [(1,)] * 4
