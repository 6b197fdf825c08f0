"""Writes the types of the built package for checkers as mypy: write_stubs.py FILE.pyi, with the package on the path.

Keywords of requests come from the library's table of fields, as signatures have them; all else from the annotations
in the sources.
"""

import dataclasses
import inspect
import sys
from pathlib import Path

sys.path.remove(str(Path(__file__).parent))  # where the package is not built

import skde
from skde import _keywords

HEAD = '''"""Types of skde, written by src/python/write_stubs.py."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

'''
LINE = 118
GENERATED = {"__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__"}  # of dataclasses


def parameters_of(function):
    """Each parameter as a stub has it, with the marks between them."""
    marked = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not marked:
            marked = True
            yield "*"
        prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        marked = marked or parameter.kind is parameter.VAR_POSITIONAL
        if parameter.name == "self":
            yield "self"
            continue
        annotation = parameter.annotation
        text = f"{prefix}{parameter.name}: {'Any' if annotation is parameter.empty else annotation}"
        yield text if parameter.default is parameter.empty else f"{text} = ..."


def function_stub(name, function, indent=""):
    returned = function.__annotations__.get("return", "None" if name == "__init__" else "Any")
    parameters = list(parameters_of(function))
    line = f"{indent}def {name}({', '.join(parameters)}) -> {returned}: ..."
    if len(line) <= LINE:
        return line
    return "\n".join([f"{indent}def {name}(", *(f"{indent}    {each}," for each in parameters),
                      f"{indent}) -> {returned}: ..."])


def members_of(cls):
    generated = GENERATED if dataclasses.is_dataclass(cls) else set()
    annotated = vars(cls).get("__annotations__", {})
    yield from (f"    {name}: {annotation}" for name, annotation in annotated.items())
    for name, member in vars(cls).items():
        if name in generated or name in annotated or (name.startswith("_") and not name.startswith("__")):
            continue
        if isinstance(member, property):
            yield f"    @property\n{function_stub(name, member.fget, '    ')}"
        elif inspect.isfunction(member):
            yield function_stub(name, member, "    ")
        elif isinstance(member, staticmethod):
            yield f"    @staticmethod\n{function_stub(name, member.__func__, '    ')}"
        elif not name.startswith("__"):
            yield f"    {name}: {type(member).__name__}"


def class_stub(cls):
    bases = ", ".join(base.__name__ for base in cls.__bases__ if base is not object)
    mark = "@dataclass(frozen=True)\n" if dataclasses.is_dataclass(cls) else ""
    head = f"{mark}class {cls.__name__}{f'({bases})' if bases else ''}:"
    members = list(members_of(cls))
    return "\n".join([head, *members]) if members else f"{head} ..."


def stub_of(name):
    found = getattr(skde, name)
    return class_stub(found) if inspect.isclass(found) else function_stub(name, found)


def main():
    aliases = [f"{name}: TypeAlias = {annotation}" for name, (annotation, _) in _keywords.ALIASES.items()]
    names = sorted(skde.__all__, key=lambda name: (not inspect.isclass(getattr(skde, name)), name))
    classes = [stub_of(name) for name in names]
    exported = "__version__: str\n__all__: list[str]"
    Path(sys.argv[1]).write_text(HEAD + "\n\n".join(["\n".join(aliases), exported, *classes]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
