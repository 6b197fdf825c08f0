"""Input and output of the S-KDE authors' program, for which a fake stands in."""

import io
import json
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import mpdfestimator_density as mpdf
import numpy
from scipy.io import netcdf_file


def write_result(path, values):
    """Writes `values` of shape (nx, ny, nz) as the program does: variable PDF (dim0, dim1, dim2), z fastest."""
    with netcdf_file(path, "w") as file:
        for axis, length in enumerate(values.shape):
            file.createDimension(f"dim{axis}", length)
        file.createVariable("PDF", "d", [f"dim{axis}" for axis in range(values.ndim)])[:] = values


def case_in(folder, commands, samples=3):
    """Returns a case of 2^3 cells whose program is a shell script that copies made.nc and then runs these commands."""
    values = numpy.arange(8.0).reshape(2, 2, 2)
    write_result(f"{folder}/made.nc", values)
    program = Path(folder, "program")
    program.write_text(f'#!/bin/sh\ncp {folder}/made.nc "$6"\n{commands}\n')
    program.chmod(0o700)
    return SimpleNamespace(cells=2, first=numpy.array([-2.5] * 3), spacing=numpy.array([5.0] * 3), h=0.5, threads=3,
                           clouds=[numpy.ones((samples, 3)) / 3] * 2, folder=folder, program=str(program))


def told(action):
    """Returns the lines that the action reports; it may end in sys.exit."""
    out = io.StringIO()
    with redirect_stdout(out):
        try:
            action()
        except SystemExit:
            pass
    return [json.loads(line) for line in out.getvalue().splitlines()]


class Mpdfestimator(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_it_is_told_the_cell_centres(self):
        # The program uses the integer part of (last - first) / step, plus 1.
        case = SimpleNamespace(cells=40, first=numpy.array([-5, -4.9, 0.1]), spacing=numpy.array([0.1, 0.25, 1 / 3]))
        first, last, step = (numpy.array(row.split("/"), float) for row in mpdf.grid_flag(case).split(":"))
        numpy.testing.assert_array_equal(first, case.first)
        numpy.testing.assert_array_equal(((last - first) / step).astype(int) + 1, [40] * 3)
        numpy.testing.assert_allclose(last, case.first + 39 * case.spacing, rtol=1e-7)

    def test_its_report_tells_the_time_of_the_estimation(self):
        report = "Dimensions: 3\n\nCompute time: 0.250000 sec 0.004167 min\nOverhead time: 0.3 sec\nTotal time: 1 sec"
        self.assertEqual(mpdf.reported_seconds(report), 0.25)
        for other in ("Overhead time: 0.3 sec", "Compute time: none", "My Compute time: 3 sec", ""):
            self.assertIsNone(mpdf.reported_seconds(other))

    def test_its_values_have_x_fastest_behind_the_transposition(self):
        write_result(f"{self.folder}/a.nc", numpy.arange(27.0).reshape(3, 3, 3))
        values = mpdf.read_values(f"{self.folder}/a.nc", 3)
        self.assertEqual(values[2, 1, 0], 0 * 9 + 1 * 3 + 2)  # z, y, x

    def test_a_result_of_another_size_or_kind_is_refused(self):
        write_result(f"{self.folder}/a.nc", numpy.zeros((2, 3, 4)))
        Path(self.folder, "b.nc").write_text("no")
        for name, cells, part in (("a.nc", 3, "(2, 3, 4), not (3, 3, 3)"), ("b.nc", 3, "b.nc: is no result of"),
                                  ("none.nc", 3, "is no result of")):
            line, = told(lambda: mpdf.read_values(f"{self.folder}/{name}", cells))
            self.assertIn(part, line["failed"])

    def test_a_run_has_rows_threads_and_a_time(self):
        peer = mpdf.Program(case_in(self.folder, 'test "$OMP_NUM_THREADS" = 3 || exit 9\ntest $(wc -l < "$7") = 3 || '
                                                 'exit 8\ntest "$1 $2 $3 $5" = "-h 0.5 -x -o" || exit 7\n'
                                                 "echo 'Compute time: 0.25 sec 0 min'"))
        self.assertIn("3 threads", peer.made_by)
        self.assertEqual(float(Path(peer.rows[0]).read_text().split()[0]), 1 / 3)
        found = []
        self.assertEqual(told(lambda: found.append(peer.measure(1))), [{"untimed": 0.25}])
        self.assertEqual(found[0][0], 0.25)
        self.assertEqual(found[0][1][1, 0, 0], 1)

    def test_few_samples_are_not_worth_a_prediction(self):
        peer = mpdf.Program(case_in(self.folder, "exit 1"))
        self.assertEqual(peer.predicted(), 0)

    def test_a_prediction_follows_from_parts_of_the_samples(self):
        case = case_in(self.folder, 'n=$(wc -l < "$7")\necho "Compute time: 0.$n sec"', samples=160000)
        with redirect_stdout(io.StringIO()):
            # 100 rows take 0.1 s and so do 10000 rows: only the start counts.
            self.assertAlmostEqual(mpdf.Program(case).predicted(), 0.1)

    def test_what_goes_wrong_is_told(self):
        for commands, part in (("echo oops >&2\nexit 4", "program ended with 4: oops"),
                               ("echo done", "reports no line 'Compute time: S sec'")):
            peer = mpdf.Program(case_in(self.folder, commands))
            self.assertIn(part, told(lambda: peer.measure(0))[-1]["failed"])
        peer.case.program = "/no/such/program"
        self.assertIn("/no/such/program: cannot be run: No such file", told(lambda: peer.measure(0))[-1]["failed"])


if __name__ == "__main__":
    unittest.main()
