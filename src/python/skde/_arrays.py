"""Arrays of callers as the library takes them."""

import numpy as np

from . import _skde
from ._errors import fail

SCALED = ("deviation", "support", "fwhm")  # forms of widths from which H follows by the kernel


def _from_device(interface):
    """A copy in host memory of an array with `__cuda_array_interface__`: of all memory between its first and last value."""
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    strides = interface.get("strides") or np.empty(shape, dtype).strides
    if 0 in shape:
        return np.empty(shape, dtype)
    if min(strides, default=0) < 0:
        fail("an array in GPU memory has negative strides", "samples", "make it contiguous")
    memory = np.empty(sum((n - 1) * s for n, s in zip(shape, strides)) + dtype.itemsize, np.uint8)
    _skde.copy_from_device(interface["data"][0], memory, interface.get("stream"))
    return np.ndarray(shape, dtype, memory, 0, strides)


def numbers(array, parameter):
    """An array of real numbers on the host.

    Floats, integers and booleans of any size, byte order and strides are taken; arrays in GPU memory
    (`__cuda_array_interface__`) are copied to the host.
    """
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        array = _from_device(interface)
    elif hasattr(array, "detach") and hasattr(array, "cpu"):  # a tensor of PyTorch
        array = array.detach().cpu().numpy()
    if np.ma.is_masked(array):
        fail(f"{parameter} has masked values", parameter, "leave these rows out")
    try:
        array = np.asarray(array)
    except ValueError as error:  # rows of unlike lengths
        fail(f"{parameter} is no array: {error}", parameter)
    if array.dtype.kind not in "fiub":
        fail(f"{parameter} must be real numbers, not {array.dtype}", parameter)
    return array


def doubles(array, parameter, copied=False):
    """Numbers as doubles in C order, without a copy where they are, unless they are to be `copied`."""
    given = numbers(array, parameter)
    array = np.ascontiguousarray(given, dtype=np.float64)
    shared = copied and np.may_share_memory(array, given)
    return array.copy() if shared or not array.flags.aligned else array


def points(array, parameter, copied=False):
    """(N, 3) numbers as doubles in C order, without a copy where they are, unless they are to be `copied`."""
    array = numbers(_coordinates(array, parameter) if is_frame(array) else array, parameter)
    if array.ndim != 2 or array.shape[1] != 3:
        hint = "transpose the array" if array.ndim == 2 and array.shape[0] == 3 else ""
        fail(f"{parameter} must have the shape (N, 3), not {array.shape}", parameter, hint)
    return doubles(array, parameter, copied)


def place_or_points(array, parameter):
    """(points, whether they are one place (3,) instead of (N, 3))."""
    is_place = not is_frame(array) and np.shape(array) == (3,)
    return points(numbers(array, parameter)[np.newaxis] if is_place else array, parameter), is_place


def is_frame(value):
    """Whether this is a DataFrame of pandas or polars, which are not imported to find out."""
    return hasattr(value, "columns") and hasattr(value, "to_numpy")


def named(frame, given, parameter):
    """The columns of a frame that are given by their names; what else is given stays as it is."""
    names = [given] if isinstance(given, str) and given in frame.columns else given
    names = given.split(",") if isinstance(names, str) else names
    if not isinstance(names, (list, tuple)) or not names or not all(isinstance(name, str) for name in names):
        return given
    for name in names:
        if name not in frame.columns:
            fail(f"there is no column {name!r}", parameter, f"it has {', '.join(map(str, frame.columns))}")
    return frame[names[0]] if isinstance(given, str) and len(names) == 1 else np.asarray(frame[list(names)])


def smoothing_lengths(frame, name):
    """(column, form) of widths in a frame: those named as in SWIFT or Gadget are what they are in files."""
    if name == "auto":
        name = next((column for column in frame.columns if _skde.smoothing_lengths(str(column))), name)
    known = _skde.smoothing_lengths(name)
    if known is None or name not in frame.columns:
        return name, None
    form, times = known
    return np.asarray(frame[name]) / times, form


def _coordinates(frame, parameter):
    """The columns x, y and z of a frame, by the names that files have; of three with other names all."""
    if not all(isinstance(name, str) for name in frame.columns):
        return frame
    found = _skde.coordinate_columns(list(frame.columns))
    if found is None and len(frame.columns) != 3:
        fail(f"no columns of {parameter} are named x, y and z or a known alternative", parameter,
             "select three columns")
    return frame if found is None else frame[[frame.columns[i] for i in found]]


def entries(matrices, parameter):
    """The six entries of symmetric matrices (..., 3, 3); they may differ by rounding from their transposes."""
    transposed = np.swapaxes(matrices, -1, -2)
    lengths = np.sqrt(np.abs(np.diagonal(matrices, axis1=-2, axis2=-1)))
    most = 1e-5 * lengths[..., :, None] * lengths[..., None, :]
    if (np.abs(matrices - transposed) > most).any():
        fail(f"{parameter} must be symmetric", parameter, "give (C + C^T) / 2")
    return ((matrices + transposed) / 2)[..., [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def shapes_of(widths, count, form, copied=False, kernel="epanechnikov"):
    """(factors, shapes) of per-sample bandwidths: (N,), (N, 3), (N, 6) or (N, 3, 3)."""
    if widths is None:
        if form is not None:
            fail("width_form has no effect without widths", "width_form", "leave it out")
        return None, None
    widths = doubles(widths, "widths", copied)
    if widths.shape[:1] != (count,):
        fail(f"widths must have a row for each of the {count} samples, not the shape {widths.shape}", "widths")
    if widths.ndim == 1 and form == "factor":
        return widths, None
    if form not in (None, "length", "factor", *SCALED):
        fail(f"width_form must be length, factor, {', '.join(SCALED[:2])} or {SCALED[2]}; got {form!r}", "width_form")
    if form in SCALED and widths.shape[1:] not in ((), (3,)):
        fail(f"width_form={form!r} needs one or three lengths for each sample", "width_form")
    if form == "factor":
        fail("width_form='factor' needs one number for each sample", "width_form")
    shapes = np.zeros((count, 6))
    if widths.ndim == 1 or widths.shape[1:] == (3,):
        if not (widths > 0).all():
            fail("widths must be above 0", "widths")
        scale = _skde.width_scale(form, kernel) if form in SCALED else 1
        shapes[:, [0, 3, 5]] = (scale * widths.reshape(count, -1)) ** 2
    elif widths.shape[1:] == (6,):
        shapes[:] = widths
    elif widths.shape[1:] == (3, 3):
        if not np.array_equal(widths, widths.transpose(0, 2, 1)):
            fail("widths has matrices that are not symmetric", "widths")
        shapes[:] = widths[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    else:
        fail(f"widths must have the shape (N,), (N, 3), (N, 6) or (N, 3, 3), not {widths.shape}", "widths")
    return None, shapes
