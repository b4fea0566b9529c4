"""The loop strings that rules allow: how often each loop may be blocked, and which loops may be divided among workers.

    rules = {"a": Rule(0, 2), "b": Rule(1, 3, True), "c": Rule(0, 3, True)}
    for each in strings(rules, {"a": 32, "b": 32, "c": 32}, most=500): each.string, each.blocks

The steps of blockings are prefix products of the prime factors of a loop's trip count, the first factor innermost: for
12 = 2 * 2 * 3 iterations, one blocking has the step 2, two have 4 and 2. For each choice of blockings, all orders of
the letters are generated. In each order, every run of neighbouring occurrences of different loops that may be divided
among workers is in upper case once. A list that is too long is not truncated: a sample is drawn from it, with each
string equally likely, and the same sample for the same seed. Source: Georganas et al., PARLOOPER, section 2.3, rules 1
to 4; its rules for products are `product_rules`, and those for its convolutions (listing 4) `convolution_rules`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from itertools import islice, product

from ...encoder.records import dataclass
from ...microkernels.operands import whole

MOST = 1000
"""The default number of strings of a sample."""
_DRAWS = 200
"""The most draws per wanted string: many orders have no run of the drawn length."""


@dataclass(frozen=True)
class Rule:
    """The rule of one loop: it is blocked `least` to `most` times, and may be divided among workers if `parallel`."""

    least: int = 0
    most: int = 0
    parallel: bool = False

    def __post_init__(self) -> None:
        for name, value in (("least", self.least), ("most", self.most)):
            if whole(value) is None:
                raise TypeError(f"{name}: a whole number of blockings, not {value!r}")
        if not 0 <= self.least <= self.most:
            raise ValueError(f"most: blockings from least={self.least} on, not {self.most}; Rule(0, 2) is none to two")


@dataclass(frozen=True)
class Candidate:
    """A loop string with the blocking steps of each letter, outermost first, in units of the loop's own step."""

    string: str
    blocks: tuple[tuple[str, tuple[int, ...]], ...]

    def __str__(self) -> str:
        steps = ", ".join(f"{letter} by {' by '.join(map(str, sizes))}" for letter, sizes in self.blocks if sizes)
        return f"{self.string} ({steps})" if steps else self.string


def product_rules(blocked: int = 3, contracted: int = 2) -> dict[str, Rule]:
    """Return the paper's rules for products: a, the reduction, is blocked up to `contracted` times, b and c up to
    `blocked` times."""
    return {"a": Rule(0, contracted), "b": Rule(0, blocked, True), "c": Rule(0, blocked, True)}


def convolution_rules(blocked: int = 1, contracted: int = 1) -> dict[str, Rule]:
    """Return such rules for the seven loops of the paper's convolutions: a, c, d and e, the images, filters, rows and
    columns of the result, may be divided among workers, and filters and rows blocked up to `blocked` times; b, f and g,
    the channels, rows and columns of the filter, are summed over, and channels blocked up to `contracted` times."""
    parallel = {letter: Rule(0, blocked if letter in "cd" else 0, True) for letter in "acde"}
    return {**parallel, "b": Rule(0, contracted), "f": Rule(), "g": Rule()}


def prime_factors(number: int) -> tuple[int, ...]:
    """Return the prime factors in ascending order; 1 has none."""
    if number < 1:
        raise ValueError(f"prime factors of {number}: a positive number")
    found, factor = [], 2
    while factor * factor <= number:
        while number % factor == 0:
            found.append(factor)
            number //= factor
        factor += 1
    return (*found, *((number,) if number > 1 else ()))


def blockings(trips: int, rule: Rule) -> list[tuple[int, ...]]:
    """Return the steps for each allowed number of blockings, outermost first. No step is as long as the loop."""
    products, steps = 1, []
    for factor in prime_factors(trips)[:-1]:
        products *= factor
        steps.append(products)
    return [tuple(reversed(steps[:count])) for count in range(rule.least, min(rule.most, len(steps)) + 1)]


def strings(rules: Mapping[str, Rule], trips: Mapping[str, int], *, most: int = MOST, seed: int = 0) -> list[Candidate]:
    """Return the strings of rules for loops of these trip counts, or a sample of `most`. The result and its order are
    deterministic.

    Raises ValueError if rules and trips have different letters, or if no string has as many blockings as a rule asks
    for.
    """
    if set(rules) != set(trips):
        raise ValueError(
            f"rules and trips must be for the same loops, not {', '.join(sorted(rules))} and {', '.join(sorted(trips))}"
        )
    for letter, rule in rules.items():
        if not isinstance(rule, Rule):
            raise TypeError(f"rules: a ts.Rule for loop {letter}, as ts.Rule(0, 2), not {rule!r}")
        if not blockings(trips[letter], rule):
            raise ValueError(f"loop {letter}: {trips[letter]} iterations cannot be blocked {rule.least} times")
    found = list(islice(all_strings(rules, trips), most + 1))
    return found if len(found) <= most else _sample(rules, trips, most, random.Random(seed))


def all_strings(rules: Mapping[str, Rule], trips: Mapping[str, int]) -> Iterator[Candidate]:
    """Yield every string."""
    parallel = {letter for letter, rule in rules.items() if rule.parallel}
    for blocks in _choices(rules, trips):
        for order in _orders(_letters(blocks)):
            for start, stop in _runs(order, parallel):
                yield _candidate(order, start, stop, blocks)


Blocks = tuple[tuple[str, tuple[int, ...]], ...]


def _choices(rules: Mapping[str, Rule], trips: Mapping[str, int]) -> list[Blocks]:
    sizes = [blockings(trips[letter], rule) for letter, rule in rules.items()]
    return [tuple(zip(rules, each)) for each in product(*sizes)]


def _letters(blocks: Blocks) -> str:
    return "".join(sorted(letter * (len(sizes) + 1) for letter, sizes in blocks))


def _orders(letters: str) -> Iterator[str]:
    """Yield all different orders of letters, in lexicographic order."""
    if not letters:
        yield ""
    for letter in sorted(set(letters)):
        for rest in _orders(letters.replace(letter, "", 1)):
            yield letter + rest


def _runs(order: str, parallel: set[str]) -> Iterator[tuple[int, int]]:
    """Yield the empty run, then all runs that may be divided together: neighbours, different loops, all of them
    parallel."""
    yield 0, 0
    for start in range(len(order)):
        for stop in range(start + 1, len(order) + 1):
            if not _may_run(order[start:stop], parallel):
                break
            yield start, stop


def _may_run(run: str, parallel: set[str]) -> bool:
    return len(set(run)) == len(run) and set(run) <= parallel


def _candidate(order: str, start: int, stop: int, blocks: Blocks) -> Candidate:
    return Candidate(order[:start] + order[start:stop].upper() + order[stop:], blocks)


def _sample(rules: Mapping[str, Rule], trips: Mapping[str, int], most: int, rng: random.Random) -> list[Candidate]:
    """Draw letters, order and run until there are enough strings. All strings are equally likely."""
    parallel = {letter for letter, rule in rules.items() if rule.parallel}
    choices = _choices(rules, trips)
    longest = len(parallel)  # the most letters of a run
    weights = [_count(_letters(each)) * (1 + len(_letters(each)) * longest) for each in choices]
    found: dict[Candidate, None] = {}
    for _ in range(_DRAWS * most):
        (blocks,) = rng.choices(choices, weights)
        order = list(_letters(blocks))
        rng.shuffle(order)
        ticket = rng.randrange(1 + len(order) * longest)
        start, size = divmod(ticket - 1, longest) if ticket else (0, -1)
        run = "".join(order[start : start + size + 1])
        if len(run) == size + 1 and _may_run(run, parallel):
            found[_candidate("".join(order), start, start + size + 1, blocks)] = None
        if len(found) == most:
            break
    return sorted(found, key=lambda each: (len(each.string), each.string.lower(), each.string))


def _count(letters: str) -> int:
    """Return the number of different orders of letters."""
    repeats = math.prod(math.factorial(letters.count(each)) for each in set(letters))
    return math.factorial(len(letters)) // repeats
