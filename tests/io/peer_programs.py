"""Reads and writes volume files with other programs.

peer_programs.py PEER read FILE   prints {"dims", "first", "spacing", "corner", "sum"} as JSON: the cells along x, y, z,
                                  the centre of the first, the value of the last cell of the first row, and the sum
peer_programs.py PEER write FILE  writes the values 0 to 23 along x, y, z = 2, 3, 4 cells of 1, 2, 3, starting at the
                                  centre (10, 20, 30), with as many axes reversed as the peer supports

If the peer is not installed, prints a line that says what is missing and ends with exit code 77.
"""
import importlib
import json
import shutil
import subprocess
import sys

MISSING = 77


def need(module):
    try:
        return importlib.import_module(module)
    except ImportError:
        print(f"/usr/bin/python3 has no {module}")
        sys.exit(MISSING)


def tell(dims, first, spacing, values_zyx):
    numpy = need("numpy")
    values = numpy.asarray(values_zyx, dtype=numpy.float64)
    print(json.dumps({"dims": [int(n) for n in dims], "first": [float(v) for v in first],
                      "spacing": [float(v) for v in spacing], "corner": float(values[0, 0, -1]),
                      "sum": float(values.sum())}))


def read_vtk(path):
    vtk, support = need("vtk"), need("vtk.util.numpy_support")
    readers = {"vti": "vtkXMLImageDataReader", "nii": "vtkNIFTIImageReader", "gz": "vtkNIFTIImageReader",
               "mha": "vtkMetaImageReader"}
    reader = getattr(vtk, readers[path.rsplit(".", 1)[1]])()
    reader.SetFileName(path)
    reader.Update()
    image = reader.GetOutput()
    dims, origin, spacing = image.GetDimensions(), list(image.GetOrigin()), image.GetSpacing()
    if reader.GetClassName() == "vtkNIFTIImageReader":  # it stores the position separately
        matrix = reader.GetSFormMatrix()
        origin = [matrix.GetElement(row, 3) for row in range(3)]
    values = support.vtk_to_numpy(image.GetPointData().GetScalars())
    tell(dims, origin, spacing, values.reshape(dims[::-1]))


def read_xarray(path):
    xarray, _ = need("xarray"), need("netCDF4")  # the module that xarray reads NetCDF-4 by
    data = xarray.open_dataset(path)["density"]
    axes = [data[name].values for name in ("x", "y", "z")]
    tell([len(axis) for axis in axes], [axis[0] for axis in axes], [axis[1] - axis[0] for axis in axes],
         data.transpose("z", "y", "x").values)


def write_xarray(path):
    numpy, xarray = need("numpy"), need("xarray")
    values = numpy.arange(24.0).reshape(4, 3, 2)[:, ::-1].transpose(2, 1, 0)
    data = xarray.DataArray(values[None], dims=("time", "x", "lat", "depth"), name="density",
                            coords={"time": [0], "x": [10.0, 11.0], "lat": [24.0, 22.0, 20.0],
                                    "depth": [30.0, 33.0, 36.0, 39.0]})
    data.to_dataset().to_netcdf(path)


def read_nibabel(path):
    image = need("nibabel").load(path)
    affine = image.affine
    tell(image.shape, affine[:3, 3], affine.diagonal()[:3], image.get_fdata().transpose(2, 1, 0))


def write_nibabel(path):
    numpy, nibabel = need("numpy"), need("nibabel")
    values = numpy.arange(24.0).reshape(4, 3, 2).transpose(2, 1, 0)[::-1]
    affine = numpy.array([[-1, 0, 0, 11], [0, 2, 0, 20], [0, 0, 3, 30], [0, 0, 0, 1.0]])
    image = nibabel.Nifti1Image(values, affine)
    image.header.set_xyzt_units("mm")
    nibabel.save(image, path)


def unu(*arguments, data=None):
    program = shutil.which("unu") or shutil.which("teem-unu")
    if not program:
        print("there is no unu")
        sys.exit(MISSING)
    return subprocess.run([program, *arguments], input=data, capture_output=True, check=True).stdout


def read_unu(path):
    numpy = need("numpy")
    head = dict(line.split(": ", 1) for line in unu("head", path).decode().splitlines() if ": " in line)
    origin = [float(v) for v in head["space origin"].strip("()").split(",")]
    vectors = [[float(v) for v in word.strip("()").split(",")] for word in head["space directions"].split()]
    dims = [int(n) for n in head["sizes"].split()]
    text = unu("save", "-f", "text", "-i", unu_text(path)).decode().split()
    tell(dims, origin, [vectors[a][a] for a in range(3)],
         numpy.array([float(word) for word in text]).reshape(dims[::-1]))


def unu_text(path):
    """Returns the same volume as rows, for the text format of unu."""
    rows = path + ".rows.nrrd"
    sizes = [line.split()[1:] for line in unu("head", path).decode().splitlines() if line.startswith("sizes:")][0]
    unu("reshape", "-i", path, "-s", sizes[0], str(int(sizes[1]) * int(sizes[2])), "-o", rows)
    return rows


def write_unu(path):
    text = " ".join(str(i) for i in range(24)).encode()
    made = unu("make", "-t", "float", "-s", "2", "3", "4", "-e", "ascii", "-i", "-", data=text)
    placed = unu("axinfo", "-a", "0", "-sp", "1", "-mm", "9.5", "11.5", "-c", "cell", data=made)
    placed = unu("axinfo", "-a", "1", "-sp", "2", "-mm", "20", "24", "-c", "node", data=placed)
    placed = unu("axinfo", "-a", "2", "-sp", "3", "-mm", "28.5", "40.5", "-c", "cell", data=placed)
    unu("save", "-f", "nrrd", "-e", "bzip2", "-o", path, data=placed)


def read_pyopenvdb(path):
    numpy, openvdb = need("numpy"), need("pyopenvdb")
    grid = openvdb.read(path, "density")
    dims = [int(n) for n in grid["dims"].split()]
    values = numpy.zeros(dims, dtype=numpy.float32)
    grid.copyToArray(values)
    first, second = grid.transform.indexToWorld((0, 0, 0)), grid.transform.indexToWorld((1, 1, 1))
    tell(dims, first, [second[a] - first[a] for a in range(3)], values.transpose(2, 1, 0))


if __name__ == "__main__":
    globals()[f"{sys.argv[2]}_{sys.argv[1]}"](sys.argv[3])
