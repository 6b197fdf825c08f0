"""Opens the surfaces that skde writes in VTK: vtk_mesh_tests.py SKDE CLOUD."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    import numpy
except ImportError:
    print("SKIPPED: VTK's or NumPy's Python module is not installed")
    sys.exit(0)

SKDE, CLOUD = sys.argv[1:3]
READERS = {"ply": vtk.vtkPLYReader, "obj": vtk.vtkOBJReader, "stl": vtk.vtkSTLReader, "vtp": vtk.vtkXMLPolyDataReader}


def run(*arguments):
    done = subprocess.run([SKDE, *arguments, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return json.loads(done.stdout)


def read(path):
    reader = READERS[path.rsplit(".", 1)[1]]()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def open_edges(mesh):
    """Returns the number of edges at a boundary or shared by more than two triangles."""
    edges = vtk.vtkFeatureEdges()
    edges.SetInputData(mesh)
    edges.BoundaryEdgesOn()
    edges.NonManifoldEdgesOn()
    edges.FeatureEdgesOff()
    edges.ManifoldEdgesOff()
    edges.Update()
    return edges.GetOutput().GetNumberOfCells()


def volume_of(mesh):
    measure = vtk.vtkMassProperties()
    measure.SetInputData(mesh)
    measure.Update()
    return measure.GetVolume()


def check_surface(folder, volume, extension):
    """Checks that the file has what the summary reports, in the coordinates of the volume."""
    path = os.path.join(folder, "surface." + extension)
    told = run("iso", volume, "--mass", "0.6", "-o", path)
    mesh = read(path)
    # VTK merges the corners of STL's triangles, and drops triangles without extent.
    assert mesh.GetNumberOfCells() == told["triangles"] or extension == "stl", extension
    assert extension == "stl" or mesh.GetNumberOfPoints() == told["points"], extension
    assert open_edges(mesh) == 0, extension
    assert abs(volume_of(mesh) / told["enclosed_volume"] - 1) < 1e-4, extension
    assert abs(told["enclosed_mass"] - 0.6) < 0.006
    lower, upper = told["grid"]["bounds"]["lower"], told["grid"]["bounds"]["upper"]
    bounds = mesh.GetBounds()
    assert all(lower[i] <= bounds[2 * i] < bounds[2 * i + 1] <= upper[i] for i in range(3)), extension
    if extension == "stl":
        return
    normals = vtk_to_numpy(mesh.GetPointData().GetNormals())
    assert numpy.allclose(numpy.linalg.norm(normals, axis=1), 1, atol=1e-5), extension
    # The triangles' own normals, by the order of their corners, point the same way.
    points = vtk_to_numpy(mesh.GetPoints().GetData()).astype(float)
    corners = vtk_to_numpy(mesh.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    a, b, c = (points[corners[:, i]] for i in range(3))
    assert numpy.mean(numpy.sum(numpy.cross(b - a, c - a) * normals[corners[:, 0]], axis=1) > 0) > 0.99, extension


def check_remarks(folder):
    """Checks that VTK finds the file's metadata."""
    fields = read(os.path.join(folder, "surface.vtp")).GetFieldData()
    names = [fields.GetArrayName(i) for i in range(fields.GetNumberOfArrays())]
    assert {"level", "enclosed_mass", "command_line", "version"} <= set(names), names


with tempfile.TemporaryDirectory() as temporary:
    density = os.path.join(temporary, "density.vti")
    run("density", CLOUD, "-o", density, "--units", "m")
    for name in READERS:
        check_surface(temporary, density, name)
    check_remarks(temporary)
