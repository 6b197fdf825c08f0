"""Exceptions and warnings of skde."""

import errno
import os
import sys
import warnings


class Error(Exception):
    """What went wrong in skde.

    Attributes
    ----------
    kind : str
        "usage", "input", "output", "resources" or "unsupported".
    parameter : str
        The keyword to blame; empty if none is.
    suggestion : str
        The step that mends the error; may be empty.
    """

    kind, parameter, suggestion = "", "", ""


class UsageError(Error, ValueError):
    """A keyword or an array has a value that cannot be used."""


class InputError(Error, ValueError):
    """A file or a cloud of samples cannot be used."""


class MissingFileError(InputError, FileNotFoundError):
    """A file does not exist."""


class OutputError(Error, OSError):
    """A file cannot be written."""


class ResourceError(Error, MemoryError):
    """Memory, a GPU or another resource is missing."""


class DensityWarning(UserWarning):
    """A density was computed as asked, but may mislead.

    Attributes
    ----------
    kind : str
        A word for programs, such as "mass_in_box".
    """

    kind = ""


_TYPES = {"usage": UsageError, "input": InputError, "output": OutputError, "resources": ResourceError}


def make(kind, problem, parameter, suggestion):
    """Returns the exception for an error of the library."""
    is_missing = kind == "input" and problem.endswith(f"cannot be opened: {os.strerror(errno.ENOENT)}")
    made = MissingFileError if is_missing else _TYPES.get(kind, Error)
    error = made(f"{problem}; {suggestion}" if suggestion else problem)
    error.kind, error.parameter, error.suggestion = kind, parameter, suggestion
    return error


def fail(problem, parameter, suggestion=""):
    """Raises the UsageError for a keyword or an array."""
    raise make("usage", problem, parameter, suggestion)


def _callers_level():
    """How many frames up the first is that does not belong to the package."""
    package, level, frame = os.path.dirname(__file__), 2, sys._getframe(2)
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == package:
        level, frame = level + 1, frame.f_back
    return level


def warn(kind, problem, parameter, suggestion):
    """Shows a warning of the library at the line of the caller."""
    warning = DensityWarning(f"{problem}; {suggestion}" if suggestion else problem)
    warning.kind = kind
    warnings.warn(warning, stacklevel=_callers_level())
