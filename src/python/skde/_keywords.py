"""Signatures and docstrings from the library's table of fields."""

import inspect
import textwrap

from . import _skde

_TARGETS = {"grid": 1, "points": 2, "means": 4, "draws": 8}
_TYPES = {"N": "int", "SHARE": "float", "A": "float", "CELLS": "float", "BYTES": "int or str"}


def fields(target):
    """The fields of the request that apply to a target, as dicts, in the order of the help pages."""
    bit, seen = _TARGETS[target], {}
    for row in _skde.fields():
        if row["targets"] & bit and row["name"] not in ("weights",):
            seen.setdefault(row["name"], row)
    return list(seen.values())


def type_of(row):
    """The type of a field for docstrings and stubs."""
    if row["name"] == "bandwidth":
        return "str, float or array_like"
    if row["name"] == "covariance":
        return "str or array_like (3, 3)"
    if row["name"] == "like":
        return "Density or Grid"
    if row["name"] in ("bounds", "dims", "spacing"):
        return "number or sequence"
    return _TYPES.get(row["value"], "str" if row["value"] else "bool")


def _entry(row):
    default = f" Default: {row['default']}." if row["default"] else ""
    text = row["help"][:1].upper() + row["help"][1:] + "." + default
    return f"{row['name']} : {type_of(row)}\n" + textwrap.indent(textwrap.fill(text, 92), "    ")


def document(target):
    """A decorator that puts the fields of a target into a function's signature and docstring."""

    def decorate(function):
        rows = fields(target)
        entries = textwrap.indent("\n".join(_entry(row) for row in rows), "    ").strip()
        function.__doc__ = function.__doc__.replace("{fields}", entries)
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        keywords = [inspect.Parameter(row["name"], inspect.Parameter.KEYWORD_ONLY, default=None) for row in rows]
        function.__signature__ = signature.replace(parameters=own + keywords)
        return function

    return decorate
