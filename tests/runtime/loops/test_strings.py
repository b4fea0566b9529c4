"""Strings of rules: equal to lists by hand in small cases, sampled uniformly in large ones, and accepted by nests."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from tilesmith.runtime.loops.grammar import Range, parsed
from tilesmith.runtime.loops.strings import Rule, all_strings, blockings, prime_factors, product_rules, strings


@pytest.mark.parametrize(
    "number, wanted", [(1, ()), (2, (2,)), (12, (2, 2, 3)), (97, (97,)), (360, (2, 2, 2, 3, 3, 5))]
)
def test_prime_factors(number, wanted):
    assert prime_factors(number) == wanted
    assert math.prod(prime_factors(number)) == number


def test_steps_of_blockings_are_prefix_products_of_prime_factors():
    assert blockings(12, Rule(0, 2)) == [(), (2,), (4, 2)]
    assert blockings(12, Rule(1, 5)) == [(2,), (4, 2)]  # blocks of 12 would be the whole loop
    assert blockings(30, Rule(2, 2)) == [(6, 2)]
    assert blockings(7, Rule(0, 3)) == [()]
    assert blockings(7, Rule(1, 3)) == []


def test_counted_by_hand():
    """Both orders of a and b; then b in either case; then b blocked once; then b and c, both in either case."""
    assert [each.string for each in all_strings({"a": Rule(), "b": Rule()}, {"a": 3, "b": 3})] == ["ab", "ba"]
    one = {"a": Rule(), "b": Rule(0, 0, True)}
    assert [each.string for each in all_strings(one, {"a": 3, "b": 3})] == ["ab", "aB", "ba", "Ba"]
    more = {"a": Rule(), "b": Rule(1, 1, True)}
    assert [each.string for each in all_strings(more, {"a": 3, "b": 4})] == [
        "abb",
        "aBb",
        "abB",
        "bab",
        "Bab",
        "baB",
        "bba",
        "Bba",
        "bBa",
    ]
    two = {"b": Rule(0, 0, True), "c": Rule(0, 0, True)}
    assert [each.string for each in all_strings(two, {"b": 2, "c": 2})] == [
        "bc",
        "Bc",
        "BC",
        "bC",
        "cb",
        "Cb",
        "CB",
        "cB",
    ]


def test_orders_are_counted_by_the_multinomial():
    """Letters that occur n, m, ... times have (n + m + ...)! / (n! m! ...) orders."""
    serial = {letter: Rule(rule.most, rule.most) for letter, rule in product_rules(2, 1).items()}
    orders = list(all_strings(serial, {"a": 4, "b": 8, "c": 8}))
    assert len(orders) == len(set(orders)) == math.factorial(8) // (2 * 6 * 6)


def test_samples_are_repeated_even_and_valid():
    rules, trips = product_rules(), {"a": 32, "b": 12, "c": 48}
    drawn = strings(rules, trips, most=300, seed=1)
    assert drawn == strings(rules, trips, most=300, seed=1)
    assert drawn != strings(rules, trips, most=300, seed=2)
    assert len(set(drawn)) == 300
    for each in drawn:
        parsed(each.string, {letter: Range(0, trips[letter], 1, steps) for letter, steps in each.blocks})


def test_a_sample_is_uniform():
    """Of the strings of two loops, one of them blocked, four are drawn per seed, and each is drawn equally often."""
    rules, trips = {"b": Rule(0, 0, True), "c": Rule(1, 1, True)}, {"b": 2, "c": 4}
    everything = list(all_strings(rules, trips))
    times = Counter(each for seed in range(400) for each in strings(rules, trips, most=4, seed=seed))
    expected = 400 * 4 / len(everything)
    assert set(times) == set(everything)
    assert max(abs(count - expected) for count in times.values()) < 5 * math.sqrt(expected)


def test_refusals():
    with pytest.raises(ValueError, match="the same loops, not a and b"):
        strings({"a": Rule()}, {"b": 1})
    with pytest.raises(ValueError, match="loop a: 7 iterations cannot be blocked 1 times"):
        strings({"a": Rule(1, 2)}, {"a": 7})
