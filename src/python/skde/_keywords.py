"""Signatures, docstrings and types from the library's table of fields."""

import functools
import inspect
import re
import textwrap

import numpy as np

from . import _skde
from ._errors import fail

# Names of types: what stubs say of them, and what docstrings do.
ALIASES = {
    "Array": ("NDArray[Any]", "numpy.ndarray"),
    "DataArray": ("Any", "xarray.DataArray"),
    "Bounds": ("Sequence[Sequence[float]] | NDArray[Any] | str", "array_like (2, 3) or 'all'"),
    "Cells": ("Int | Sequence[Int] | NDArray[Any]", "int or 3 ints"),
    "Int": ("int | np.integer[Any]", "int"),
    "Lengths": ("Real | Sequence[Real] | NDArray[Any]", "float or 3 floats"),
    "Matrix": ("Sequence[Sequence[float]] | NDArray[Any]", "array_like (3, 3)"),
    "Names": ("str | Sequence[str | int]", "str or sequence"),
    "Places": ("ArrayLike | PathLike[str]", "array_like (M, 3), or path"),
    "Real": ("float | np.floating[Any] | np.integer[Any]", "float"),
    "Samples": ("ArrayLike | str | PathLike[str] | Sequence[str | PathLike[str]]", "array_like (N, 3), or path, or list"),
    "Show": ("bool | Callable[[str, int, int, str], object]", "bool or callable"),
}

# The types of fields by the forms that help pages show. Forms of words alone are literals.
_FORMS = {
    "N": "Int", "SHARE": "Real", "A": "Real", "CELLS": "Real", "BYTES": "Int | str", "COLUMN": "str",
    "CONDITION": "str", "FRAME[:LON:LAT][,WORD...]": "str | bool", "X,Y,Z": "Names",
    "COLUMN,...|auto|splat|mixture|none": "Names | Array", "N|NX,NY,NZ": "Cells", "S|SX,SY,SZ": "Lengths",
    "X0,Y0,Z0:X1,Y1,Z1|all": "Bounds", "X0,Y0,Z0:X1,Y1,Z1": "Bounds", "VOLUME": "Density | Grid | DataArray | str | PathLike[str]",
    "I,...|all": "Int | Sequence[Int] | str", "B|BX,BY,BZ": "{words} | Sequence[{words}]",
    "RULE|H|HX,HY,HZ|MATRIX": "{words} | Lengths | Matrix | Bandwidth", "data|diag|robust|iso|within|auto|free|FILE": "{words} | Matrix",
    "NAME": "{words}", "": "bool",
}
_WORD = re.compile(r"[a-z][a-z0-9-]*")


@functools.cache
def _rows():
    return _skde.fields()


def fields(*uses):
    """The fields of the request that have one of these uses (cloud, grid, errors, points, means,
    search), as dicts, in the order of the help pages."""
    seen = {}
    for row in _rows():
        if set(uses) & set(row["uses"]):
            seen.setdefault(row["name"], row)
    return list(seen.values())


def type_of(row):
    """The type of a field as stubs have it; docstrings show it by readable()."""
    if row["name"] == "adaptive":
        return "bool | Real"
    words = row["words"] or _WORD.findall(row["value"])
    literal = "Literal[" + ", ".join(repr(word) for word in words) + "]"
    if row["value"] and all(_WORD.fullmatch(word) for word in row["value"].split("|")):
        return literal
    return _FORMS[row["value"]].format(words=literal if words else "str")


def readable(annotation):
    """A type as docstrings show it: {'drop', 'error'}, int or 3 ints."""
    annotation = re.sub(r"\bInt\b", "int", re.sub(r"\bReal\b", "float", annotation))
    text = re.sub(r"Sequence\[Literal\[.*?\]\]", "3 of these", annotation)
    text = re.sub(r"Sequence\[(\w+)\]", r"sequence of \1s", text)
    text = re.sub(r"Literal\[(.*?)\]", r"{\1}", text).replace(" | ", " or ")
    text = text.replace("PathLike[str]", "path")
    for name, (_, words) in ALIASES.items():
        text = re.sub(rf"\b{name}\b", words, text)
    return text


_CONTRADICT = (("dims", "like"), ("spacing", "like"), ("bounds", "like"), ("threads", "device"), ("threads", "device_memory"))
_OF_H = ("bandwidth", "covariance", "regularize")


def check(request, widths, of_cells=()):
    """Raises UsageError where a keyword would be ignored or contradicts another; `widths` is the
    form of the samples' own bandwidths, such as "length" or "factor", or None where they have none.
    `of_cells` are keywords that points need for boundaries at most."""
    given = {name for name, value in request.items() if value is not None and value is not False}
    for name, other in _CONTRADICT:
        if name in given and other in given:
            fail(f"{name} contradicts {other}", name, "drop one of them")
    for name in given.intersection(of_cells):
        if name in ("dims", "spacing") or not request.get("boundary"):
            fail(f"{name} has no effect on values at points" + " without boundary" * (name in ("bounds", "like")),
                 name, "drop it")
    bandwidth = request.get("bandwidth")
    for name in given.intersection(("covariance", "regularize")):
        if bandwidth is not None and np.ndim(bandwidth) > 0:
            fail(f"{name} has no effect beside a bandwidth that fixes the whole matrix H", name, "drop it")
    if "regularize" in given and request.get("covariance") == "iso" and isinstance(bandwidth, (int, float)):
        fail("regularize has no effect beside covariance='iso' and one length", "regularize", "drop it")
    engine = str(request.get("engine") or "auto")
    others = ("threads",) if engine.startswith(("cuda", "gpu")) else ("device", "device_memory")
    for name in given.intersection(others if engine != "auto" else ()):
        fail(f"{name} has no effect on the engine {engine}", name, "drop it")
    if "adaptive_alpha" in given and "adaptive" not in given:
        fail("adaptive_alpha has no effect without adaptive", "adaptive_alpha", "add adaptive=True, or drop it")
    if widths is None:
        if "min_width" in given and "adaptive" not in given:
            fail("min_width has no effect without widths or adaptive", "min_width", "drop it")
        return
    if "adaptive" in given:
        fail("adaptive contradicts widths, which are each sample's own", "adaptive", "drop one of them")
    for name in given.intersection(_OF_H if widths != "factor" else ()):
        fail(f"{name} has no effect beside widths, which are each sample's own H", name,
             'drop it, or multiply them with width_form="factor"')


def _entry(row):
    default = f" Default: {row['default']}." if row["default"] else ""
    text = row["help"][:1].upper() + row["help"][1:] + "." + default
    head = textwrap.fill(f"{row['name']} : {readable(type_of(row))}", 96, subsequent_indent="    ")
    return head + "\n" + textwrap.indent(textwrap.fill(text, 92), "    ")


def document(*uses):
    """A decorator that puts the fields of these uses into a function's signature and docstring; what
    the function has as parameters of its own is left as it is."""

    def decorate(function):
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        names = {parameter.name for parameter in own} | ({"bandwidth"} if "rule" in signature.parameters else set())
        rows = [row for row in fields(*uses) if row["name"] not in names]
        entries = "\n".join(_entry(row) for row in rows)
        function.__doc__ = inspect.cleandoc(function.__doc__).replace("{fields}", entries)
        keywords = [inspect.Parameter(row["name"], inspect.Parameter.KEYWORD_ONLY, default=None,
                                      annotation=f"{type_of(row)} | None") for row in rows]
        function.__signature__ = signature.replace(parameters=own + keywords)
        return function

    return decorate
