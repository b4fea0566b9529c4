"""TILESMITH_VERIFY=off and TILESMITH_GDB=no switched on what they name, and TILESMITH_CACHE=1 made a folder called 1 in
the current folder."""

import os

import pytest

from tilesmith.runtime.cli.main import main
from tilesmith.runtime.system import environment

SWITCHES = {environment.VERIFY: environment.wants_proofs, environment.GDB: environment.tells_tools}


@pytest.mark.parametrize("variable", SWITCHES)
def test_on_and_off(monkeypatch, variable):
    for name in environment.NAMES:
        monkeypatch.delenv(name, raising=False)
    words = {"": False, "0": False, "off": False, "No": False, "FALSE": False, "1": True, "on": True, "Yes": True}
    for word, expected in words.items():
        monkeypatch.setenv(variable, word)
        assert SWITCHES[variable]() is expected, word
    monkeypatch.setenv(variable, "offf")
    with pytest.raises(ValueError, match=f"{variable}=offf: unknown value; use 1 or 0"):
        SWITCHES[variable]()


def test_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for word in ("1", "on", "YES", "true", ""):
        monkeypatch.setenv(environment.CACHE, word)
        assert environment.cache_folder() == str(tmp_path / "tilesmith")
    for word in ("0", "off", "NO", "false"):
        monkeypatch.setenv(environment.CACHE, word)
        assert environment.cache_folder() is None
    monkeypatch.setenv(environment.CACHE, "kept")
    assert environment.cache_folder() == os.path.abspath("kept")


def test_variables_that_are_not_read(monkeypatch, capsys):
    monkeypatch.setenv("TILESMITH_CAHCE", "off")
    monkeypatch.setenv("TILESMITH_CACHE", "off")
    assert main(["info"]) == 0
    said = capsys.readouterr().out
    assert "TILESMITH_CAHCE=off: no variable that Tilesmith reads; did you mean TILESMITH_CACHE?" in said
    assert "  TILESMITH_CACHE=off\n" in said
