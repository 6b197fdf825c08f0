"""Pictures of densities: what is drawn, not how it looks."""

import base64
import os
import re
import stat
import sys
import types

import numpy as np
import pytest
import skde
from skde import _plot

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture
def density(xyz):
    return skde.density(xyz, kernel="gaussian", dims=(20, 22, 24), units="km")


def panels(figure):
    return [axes for axes in figure.axes if axes.images]


def test_projections_are_drawn_to_scale(density):
    figure = density.plot()
    found = panels(figure)
    assert [(p.get_xlabel(), p.get_ylabel()) for p in found] == [("x (km)", "y (km)"), ("x (km)", "z (km)"),
                                                                  ("y (km)", "z (km)")]
    lower, upper = density.grid.bounds
    for panel, axis in zip(found, "zyx"):
        np.testing.assert_array_equal(panel.images[0].get_array(), density.projection(axis))
    assert list(found[0].images[0].get_extent()) == [lower[0], upper[0], lower[1], upper[1]]
    assert len({panel.images[0].get_clim() for panel in found}) == 1  # one colour bar for all
    assert any("1 / km$^2$" in axes.get_ylabel() for axes in figure.axes)


def test_slices_lie_at_their_places(density):
    place = (0.1, -0.2, 0.3)
    figure = density.plot("slices", at=place, levels=None, log=True)
    for panel, axis, at in zip(panels(figure), "zyx", place[::-1]):
        np.testing.assert_array_equal(panel.images[0].get_array(), density.slice(axis, at))
        assert panel.get_title() == f"{axis} = {at:.4g} km"
        assert not panel.collections
    peak = density.plot("slices").axes[0].get_title()
    assert float(re.search(r"= (\S+)", peak)[1]) == pytest.approx(
        density.grid.axes[2][np.argmax(density.values) // (22 * 20)], rel=1e-3)


def test_lines_hold_their_share(density):
    plane = density.projection("z")
    for mass, level in zip((0.95, 0.5), _plot._mass_levels(plane, [0.95, 0.5])):
        above = plane[plane >= level].sum() / plane.sum()
        assert mass <= above < mass + plane.max() / plane.sum()


def test_flat_and_empty_densities_are_drawn(xyz):
    thin = skde.density(xyz, dims=(30, 30, 1), bounds=[[-3, -3, -1], [3, 3, 1]])
    assert len(panels(thin.plot())) == 3
    assert "<table>" in thin._repr_html_()


@pytest.mark.parametrize("keywords, parameter", [({"kind": "cube"}, "kind"), ({"at": (0, 0, 0)}, "at"),
                                                 ({"kind": "slices", "at": (0, 0)}, "at"), ({"levels": 2}, "levels")])
def test_wrong_keywords_name_themselves(density, keywords, parameter):
    with pytest.raises(skde.UsageError) as caught:
        density.plot(**keywords)
    assert caught.value.parameter == parameter


def test_html_has_a_picture_and_facts(density):
    page = density._repr_html_()
    picture = base64.b64decode(re.search(r"base64,([^']+)'", page)[1])
    assert picture.startswith(b"\x89PNG")
    assert "20 × 22 × 24" in page and "<td style='text-align:left'>60</td>" in page


def test_html_without_matplotlib_is_a_table(density, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    page = density._repr_html_()
    assert "<img" not in page and "gaussian" in page


def program(folder, text):
    path = folder / "skde-view"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_show_gives_the_viewer_the_density(density, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(_plot, "_skde", types.SimpleNamespace(__file__=str(tmp_path / "nowhere" / "_skde.so")))
    program(tmp_path, f'cp "$1" {tmp_path}/seen.vti; echo "$1" > {tmp_path}/path')
    assert density.show(wait=True).returncode == 0
    np.testing.assert_array_equal(skde.read(tmp_path / "seen.vti").values, density.values)
    assert not os.path.exists((tmp_path / "path").read_text().strip())  # the temporary copy is gone
    program(tmp_path, "echo 'no display' >&2; exit 4")
    with pytest.raises(skde.Error, match="no display"):
        density.show()


def test_show_without_the_viewer_says_so(density, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(_plot, "_skde", types.SimpleNamespace(__file__=str(tmp_path / "_skde.so")))
    with pytest.raises(skde.Error, match="skde-view"):
        density.show()


class Image:
    """The attributes of pyvista.ImageData that are used."""

    dimensions = spacing = origin = None

    def __init__(self):
        self.point_data = {}

    @property
    def points(self):
        axes = [a + s * np.arange(n) for a, s, n in zip(self.origin, self.spacing, self.dimensions)]
        z, y, x = np.meshgrid(*axes[::-1], indexing="ij")
        return np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)


@pytest.mark.parametrize("name", ["ImageData", "UniformGrid", "installed"])
def test_pyvista_has_points_at_the_centres(density, name, monkeypatch):
    if name == "installed":
        pytest.importorskip("pyvista")
    else:
        monkeypatch.setitem(sys.modules, "pyvista", types.SimpleNamespace(**{name: Image}))
    image = density.to_pyvista()
    assert tuple(image.dimensions) == density.grid.dims
    np.testing.assert_allclose(image.points, density.grid.points(), atol=1e-9)
    np.testing.assert_array_equal(image.point_data["density"], density.values.ravel())
