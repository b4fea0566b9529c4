"""`tilesmith completion bash | zsh | fish`: a script for the shell, generated from the parser.

source <(tilesmith completion bash) source <(tilesmith completion zsh) tilesmith completion fish | source
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from ...encoder.records import NamedTuple

SHELLS = ("bash", "zsh", "fish")


class CompletionWords(NamedTuple):
    """The words that may follow a chain of commands: commands, options, values of a positional; and the values of each
    option."""

    words: tuple[str, ...]
    options: dict[str, tuple[str, ...]]


def add_completion(commands: Any, parser: argparse.ArgumentParser) -> None:
    """Add the command, for the program that the parser belongs to."""
    command = commands.add_parser("completion", help="print a script that completes commands and options in a shell")
    command.add_argument("shell", choices=SHELLS)
    command.set_defaults(command=lambda options: _print(script(options.shell, parser)))


def _print(text: str) -> int:
    print(text, end="")
    return 0


def places(parser: argparse.ArgumentParser, before: str = "") -> Iterator[tuple[str, CompletionWords]]:
    """Yield every chain of commands, separated by blanks, and what may follow it."""
    words: list[str] = []
    options: dict[str, tuple[str, ...]] = {}
    inner: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        choices = tuple(map(str, action.choices or ()))
        if isinstance(action, argparse._SubParsersAction):
            inner = dict(action.choices)
        if action.option_strings:
            options |= dict.fromkeys(action.option_strings, choices)
        else:
            words += choices
    yield before, CompletionWords((*words, *options), {name: choices for name, choices in options.items() if choices})
    for name, each in inner.items():
        yield from places(each, f"{before} {name}".strip())


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """Return the script for a shell."""
    found = dict(places(parser))
    return _fish(parser.prog, found) if shell == "fish" else _bash(parser.prog, found, shell == "zsh")


def _bash(program: str, found: dict[str, CompletionWords], zsh: bool) -> str:
    known = "|".join(f'"{name}"' for name in found if name)
    cases = "\n".join(f'        "{name}") words="{" ".join(place.words)}" ;;' for name, place in found.items())
    values = "\n".join(
        f'        "{name} {option}") words="{" ".join(choices)}" ;;'
        for name, place in found.items()
        for option, choices in place.options.items()
    )
    start = "autoload -U +X bashcompinit && bashcompinit\n" if zsh else ""
    return f"""{start}_{program}() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" path="" next words="" each
    for each in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        next="${{path:+$path }}$each"
        case "$next" in {known}) path="$next" ;; esac
    done
    case "$path" in
{cases}
    esac
    case "$path $before" in
{values}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _{program} {program}
"""


def _fish(program: str, found: dict[str, CompletionWords]) -> str:
    lines = [f"function __{program}_at", "    set -l path"]
    known = " ".join(f"'{name}'" for name in found if name)
    lines += [
        "    for each in (commandline -opc)[2..]",
        '        set -l next (string join " " $path $each)',
        f"        contains -- $next {known}; and set path $next",
        "    end",
        '    test "$path" = "$argv[1]"',
        "end",
    ]
    for name, place in found.items():
        at = f"complete -c {program} -n \"__{program}_at '{name}'\""
        words = " ".join(word for word in place.words if not word.startswith("-"))
        lines += [f"{at} -f -a '{words}'"] if words else []
        for option in (word for word in place.words if word.startswith("--")):
            values = " ".join(place.options.get(option, ()))
            lines.append(f"{at} -l {option[2:]}" + (f" -x -a '{values}'" if values else ""))
    return "\n".join(lines) + "\n"
