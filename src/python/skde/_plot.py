"""Pictures of densities: matplotlib, the program skde-view, pyvista and notebooks."""

import base64
import html
import io
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from . import _skde
from ._errors import fail, make

# The panels: the axis that is looked along, and those to the right and up.
_PANELS = ((2, 0, 1), (1, 0, 2), (0, 1, 2))
_NAMES = "xyz"


def plot(density, kind="projections", *, at=None, units=None, levels=(0.5, 0.95), log=False, cmap="viridis",
         figure=None):
    """See :meth:`skde.Density.plot`."""
    if kind not in ("projections", "slices"):
        fail(f"kind must be 'projections' or 'slices'; got {kind!r}", "kind")
    if at is not None and kind == "projections":
        fail("at= has no effect on projections", "at", "use kind='slices'")
    places = _places(density, at) if kind == "slices" else None
    masses = sorted(np.atleast_1d(np.asarray([] if levels is None else levels, dtype=float)).tolist(), reverse=True)
    if any(not 0 < mass < 1 for mass in masses):
        fail(f"levels must be shares of the mass between 0 and 1; got {levels!r}", "levels")
    units = density.metadata.get("units", "") if units is None else units
    figure = figure or _new_figure()
    planes = [density.projection(along) if places is None else density.slice(along, places[along])
              for along, _, _ in _PANELS]
    limits = list(density.levels(masses)) if places is not None and masses else None
    norm = _norm(planes, log)
    axes = figure.subplots(1, 3)
    for panel, plane, (along, right, up) in zip(axes, planes, _PANELS):
        image = _panel(panel, density.grid, plane, right, up, norm, cmap)
        _contours(panel, density.grid, plane, right, up, masses, limits or _mass_levels(plane, masses))
        for axis, label in ((right, panel.set_xlabel), (up, panel.set_ylabel)):
            label(_axis_name(density, axis) + (f" ({units})" if units else ""))
        name = _axis_name(density, along)
        panel.set_title(f"along {name}" if places is None else f"{name} = {places[along]:.4g} {units}".rstrip(),
                        fontsize="medium")
    bar = figure.colorbar(image, ax=list(axes), shrink=0.85, extend="min" if log else "neither")
    bar.set_label(_value_text(density, units, projected=places is None))
    return figure


def _new_figure():
    """One that pyplot shows, or, where notebooks show what a cell returns, one of its own: not two of it."""
    import matplotlib

    size = {"figsize": (12, 3.9), "layout": "constrained"}
    if "inline" in matplotlib.get_backend():
        from matplotlib.figure import Figure

        return Figure(**size)
    from matplotlib import pyplot

    return pyplot.figure(**size)


def _places(density, at):
    if at is not None:
        places = tuple(float(place) for place in np.atleast_1d(at))
        if len(places) != 3:
            fail(f"at must be x, y and z of the planes; got {at!r}", "at")
        return places
    k, j, i = np.unravel_index(int(np.argmax(density.values)), density.values.shape)
    return tuple(float(axis[n]) for axis, n in zip(density.grid.axes, (i, j, k)))


def _norm(planes, log=False):
    """One range of colours for all planes."""
    from matplotlib import colors

    top = max(float(plane.max()) for plane in planes)
    top = top if top > 0 else 1.0
    if log:
        return colors.LogNorm(top * 1e-4, top, clip=True)
    return colors.Normalize(min([0.0, *(float(plane.min()) for plane in planes)]), top)


def _panel(panel, grid, plane, right, up, norm, cmap):
    lower, upper = grid.bounds
    extent = (lower[right], upper[right], lower[up], upper[up])
    width, height = extent[1] - extent[0], extent[3] - extent[2]
    is_alike = max(width, height) <= 4 * min(width, height)
    panel.set_aspect("equal" if is_alike else "auto")
    return panel.imshow(plane, extent=extent, origin="lower", norm=norm, cmap=cmap,
                        aspect="equal" if is_alike else "auto", interpolation="nearest")


def _mass_levels(plane, masses):
    """The values above which cells of a plane hold these shares of its sum."""
    values = np.sort(plane, axis=None)[::-1]
    held = np.cumsum(values)
    if not held.size or held[-1] <= 0:
        return []
    return [float(values[min(np.searchsorted(held, mass * held[-1]), len(values) - 1)]) for mass in masses]


def _contours(panel, grid, plane, right, up, masses, levels):
    shown = {level: f"{100 * mass:g} %" for mass, level in zip(masses, levels) if plane.min() < level < plane.max()}
    if not shown or min(plane.shape) < 2:
        return
    lines = panel.contour(grid.axes[right], grid.axes[up], plane, levels=sorted(shown), colors="white",
                          linewidths=0.9)
    panel.clabel(lines, fmt=shown, fontsize=7)


def _axis_name(density, axis):
    return density.metadata.get(f"{_NAMES[axis]}_name") or _NAMES[axis]


def _value_text(density, units, projected):
    """What the colours are, with its unit."""
    about = density.metadata
    if about.get("values"):
        return about["values"]
    count = "weight" if about.get("normalization") == "count" else "1"
    name = "density, integrated along the axis" if projected else "density"
    return f"{name} ({count} / {units or 'unit'}$^{2 if projected else 3}$)"


def thumbnail(density):
    """A PNG of three small projections."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 2.1), layout="constrained")
    FigureCanvasAgg(figure)
    for panel, (along, right, up) in zip(figure.subplots(1, 3), _PANELS):
        plane = density.projection(along)
        _panel(panel, density.grid, plane, right, up, _norm([plane]), "viridis")
        panel.set_xlabel(_NAMES[right], fontsize=8, labelpad=1)
        panel.set_ylabel(_NAMES[up], fontsize=8, labelpad=1)
        panel.tick_params(labelsize=6, length=2, pad=1)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=80)
    return stream.getvalue()


def _rows(density):
    about, grid = density.metadata, density.grid
    units = f" {about['units']}" if about.get("units") else ""
    lower, upper = grid.bounds
    yield "cells", " × ".join(str(n) for n in grid.dims) + f", {density.values.dtype}"
    yield "spacing", " × ".join(f"{edge:.4g}" for edge in grid.spacing) + units
    yield "box", ", ".join(f"{a:.4g} to {b:.4g}" for a, b in zip(lower, upper)) + units
    if about.get("samples"):
        yield "samples", f"{int(about['samples']):,}"
    if about.get("kernel"):
        source = about.get("bandwidth_source")
        width = f", h = {density.h:.4g}" if density.h else ""
        yield "kernel", about["kernel"] + width + (f" ({source})" if source else "")
    yield "integral over the box", f"{density.mass:.6g}"


def to_html(density):
    """A table, and a picture where matplotlib is installed."""
    rows = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                   f"<td style='text-align:left'>{html.escape(text)}</td></tr>" for name, text in _rows(density))
    try:
        picture = base64.b64encode(thumbnail(density)).decode("ascii")
    except ImportError:
        picture = ""
    shown = f"<img alt='projections along z, y and x' src='data:image/png;base64,{picture}'>" if picture else ""
    return f"<div><b>skde.Density</b><table>{rows}</table>{shown}</div>"


def show(density, wait=False):
    """See :meth:`skde.Density.show`."""
    beside = Path(_skde.__file__).with_name("skde-view")
    program = str(beside) if beside.exists() else shutil.which("skde-view")
    if not program:
        raise make("unsupported", "the program skde-view is neither beside the package nor on PATH", "",
                   "install it, or use plot()")
    folder = tempfile.mkdtemp(prefix="skde_")
    path = str(Path(folder, "density.vti"))
    try:
        density.save(path)
        with tempfile.TemporaryFile() as log:
            # The shell removes the file when the window is closed, whether Python still runs or not.
            line = '"$1" "$2"; code=$?; rm -r "$3"; exit $code'
            process = subprocess.Popen(["sh", "-c", line, "sh", program, path, folder], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=log, start_new_session=True)
            try:
                code = process.wait(None if wait else 1.0)
            except subprocess.TimeoutExpired:
                return process
            if code != 0:
                log.seek(0)
                last = log.read().decode(errors="replace").strip().splitlines() or [f"exit code {code}"]
                raise make("unsupported", f"skde-view has ended: {last[-1]}", "", "")
            return process
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def to_pyvista(density):
    """See :meth:`skde.Density.to_pyvista`."""
    import pyvista

    grid = density.grid
    make = getattr(pyvista, "ImageData", None) or pyvista.UniformGrid
    image = make()
    image.dimensions, image.spacing = grid.dims, grid.spacing
    image.origin = tuple(a + 0.5 * s for a, s in zip(grid.lower, grid.spacing))
    image.point_data["density"] = density.values.ravel()
    return image
