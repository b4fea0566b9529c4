"""Docstrings as Markdown: paragraphs, code that is indented, and rows of arguments in two columns."""

from __future__ import annotations

import ast
import itertools
import re
import textwrap
from collections.abc import Iterator

_CODE = " " * 4
_ROW = re.compile(r"(\S.*?)(  +)(\S.*)")
_NAMES = re.compile(r"([\w.*=]+(?:, [\w.*=]+)*) ")
_SPECIAL = re.compile(r"([*<>\[\]\\_{}#|~$])")


def markdown(docstring: str) -> str:
    """Return a docstring, whose indentation `inspect.getdoc` has removed, as Markdown. Words between backticks stay
    code; no other character has a meaning."""
    blocks = list[str]()
    code = list[str]()
    for block in re.split(r"\n[ \t]*\n", docstring.strip("\n")):
        lines = block.splitlines()
        if all(line.startswith(_CODE) for line in lines):
            code.append(block)
            continue
        blocks += [*_fenced(code), *_prose(lines)]
        code.clear()
    return "\n\n".join([*blocks, *_fenced(code)])


def _fenced(code: list[str]) -> list[str]:
    """Return consecutive blocks of code as one fence: of Python, if it is Python."""
    if not code:
        return []
    text = textwrap.dedent("\n\n".join(code))
    try:
        ast.parse(text)
        language = "python"
    except SyntaxError:  # a formula, or the output of a program
        language = "text"
    return [f"```{language}\n{text}\n```"]


def _prose(lines: list[str]) -> Iterator[str]:
    """Yield the paragraphs of a block, and its list of arguments."""
    for is_row, group in itertools.groupby(_joined(lines), lambda entry: bool(entry[0])):
        if is_row:
            yield "\n".join(f"- `{name.replace('`', '')}`: {_escaped(' '.join(texts))}" for name, *texts in group)
        else:
            yield _escaped(" ".join(text for _, *texts in group for text in texts))


def _joined(lines: list[str]) -> list[list[str]]:
    """Return the name, or "", and the lines of the text of each argument and of each line of a paragraph."""
    found, columns = list[list[str]](), set[int]()  # where texts begin
    for line in lines:
        row = _ROW.fullmatch(line)
        if row:
            columns.add(len(row[1]) + len(row[2]))
            found.append([row[1], row[3]])
        elif columns and line.startswith(" "):
            found[-1].append(line.strip())
        elif (names := _NAMES.match(line)) and names.end() in columns:  # names that reach the column of the texts
            found.append([names[1], line[names.end() :]])
        else:
            found.append(["", line.strip()])
    return found


def _escaped(text: str) -> str:
    """Return a line of text without markup, apart from code between backticks."""
    parts = re.split(r"(`[^`]+`)", text)
    plain = [part if at % 2 else _SPECIAL.sub(r"\\\1", part).replace("`", r"\`") for at, part in enumerate(parts)]
    return re.sub(r"^([-+=%:]|\d+[.)])", r"\\\1", "".join(plain))
