"""The public API: what is listed is there, is documented, and is loaded only when it is used."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from importlib import import_module

import pytest

import trackdown
from trackdown.doors import exported_names


def test_what_is_listed_is_what_is_exported() -> None:
    assert trackdown.__all__ == sorted(trackdown.__all__)
    assert set(trackdown.__all__) == {*exported_names("trackdown"), "__version__"}
    assert all(getattr(trackdown, name) is not None for name in trackdown.__all__)


@pytest.mark.parametrize("name", sorted(set(trackdown.__all__) - {"__version__"}))
def test_every_exported_name_has_a_docstring_of_its_own(name: str) -> None:
    exported = getattr(trackdown, name)
    assert exported.__doc__ and not exported.__doc__.startswith(f"{name}(")
    assert exported is getattr(import_module(exported_names("trackdown")[name]), name)


@pytest.mark.parametrize("name", ["Repository", "SearchResults", "HistoryResults", "Settings"])
def test_public_methods_have_docstrings(name: str) -> None:
    exported = getattr(trackdown, name)
    for member, value in vars(exported).items():
        if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
            assert value.__doc__, f"{name}.{member}"


def test_help_lists_the_api() -> None:
    shown = pydoc.plain(pydoc.render_doc(trackdown))
    assert not [name for name in trackdown.__all__ if name != "__version__" and name not in shown]
    assert " search(" in shown and " history(" in shown and set(trackdown.__all__) <= set(dir(trackdown))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'serach'"):
        trackdown.serach  # type: ignore[attr-defined]  # noqa: B018


def test_importing_the_package_loads_no_engine() -> None:
    script = "import sys, trackdown; print([m for m in sys.modules if m in ('numpy', 'sqlite3', 'trackdown.engine')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_error_is_in_the_tree_of_the_docstring() -> None:
    errors = import_module("trackdown.errors")
    classes = [value for value in vars(errors).values() if inspect.isclass(value)]
    assert errors.__doc__ is not None
    for found in classes:
        assert issubclass(found, trackdown.TrackdownError) and found.__doc__
        assert f"{found.__name__} " in errors.__doc__ or f"{found.__name__}\n" in errors.__doc__
    assert errors.UsageError("x").exit_code == 2 and errors.StoreError("x").exit_code == 1
