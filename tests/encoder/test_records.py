"""Records do what dataclasses of the standard library do: each statement is asked of both."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import threading
from typing import Any, ClassVar

import pytest

from tilesmith.encoder import records

DECORATORS = [dataclasses.dataclass, records.dataclass]


def classes(dataclass: Any, **options: Any) -> tuple[Any, Any]:
    """A class, and one that inherits its fields."""

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
    """Known by its name, as pickles need it."""

    a: int
    b: tuple[int, ...] = ()


@records.dataclass(frozen=True)
class Record:
    """The same as a record."""

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
    if options.get("eq", True) or "hash" not in inspect.getsource(asked):  # which is by identity without eq
        assert answers[0] == answers[1]


@pytest.mark.parametrize("first", DECORATORS)
@pytest.mark.parametrize("second", DECORATORS)
def test_each_inherits_from_the_other(first: Any, second: Any) -> None:
    base, _ = classes(first, frozen=True)

    @second(frozen=True)
    class Derived(base):  # type: ignore[misc, valid-type]
        """Of a class of the other kind."""

        z: int = 1

    made = Derived(1, z=2)
    assert (made.x, made.z, made.doubled) == (1, 2, 2) and made == Derived(1, z=2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.z = 3
    with pytest.raises(TypeError, match="frozen"):
        second(type("Thawed", (base,), {"__annotations__": {}}))


@pytest.mark.parametrize("kind", [Usual, Record])
def test_unpickled_before_any_object_was_made(kind: type) -> None:
    """A pickle fills an object without calling __init__."""
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
