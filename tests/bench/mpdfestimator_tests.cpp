#include <string>

#include "bench/fake_peer.hpp"
#include "support/catch.hpp"

#if SKDE_HAS_NETCDF
#include <netcdf.h>
#endif

using namespace skde;
using namespace skde::bench;
using namespace skde::test;

#if SKDE_HAS_NETCDF

namespace {

/// Writes a result as the authors' program does: variable PDF (dim0, dim1, dim2), z fastest.
void write_mpdf(const std::string& path, const Volume& volume) {
  const auto [nx, ny, nz] = volume.grid().dims;
  std::vector<double> values;
  for (std::int64_t i = 0; i < nx; ++i)
    for (std::int64_t j = 0; j < ny; ++j)
      for (std::int64_t k = 0; k < nz; ++k) values.push_back(volume.at(i, j, k));
  int file = 0, variable = 0, dimensions[3];
  REQUIRE(nc_create(path.c_str(), NC_CLOBBER, &file) == NC_NOERR);
  for (int axis = 0; axis < 3; ++axis)
    nc_def_dim(file, ("dim" + std::to_string(axis)).c_str(),
               static_cast<std::size_t>(volume.grid().dims[static_cast<std::size_t>(axis)]),
               &dimensions[axis]);
  nc_def_var(file, "PDF", NC_DOUBLE, 3, dimensions, &variable);
  nc_enddef(file);
  REQUIRE(nc_put_var_double(file, variable, values.data()) == NC_NOERR);
  nc_close(file);
}

/// Returns the row of a fake peer that returns the density of the case, each value times `factor`,
/// and then runs `commands`.
Result row_of(double factor, const std::string& commands,
              const BenchmarkCase& wanted = small_peer_case()) {
  const TemporaryFolder folder;
  const BenchmarkInput input = make_input(wanted);
  Volume volume = density_of(input);
  volume.scale(factor);
  write_mpdf(folder.path("made.nc"), volume);
  // called as: -h H -x GRID -o FILE ROWS
  const std::string program = shell_program(
      folder, "mpdf",
      "test \"$1 $3 $5\" = '-h -x -o' || exit 9\ntest $(wc -l < \"$7\") = 500 || exit 8\n"
      "cp " +
          folder.path("made.nc") + " \"$6\"\n" + commands);
  return measured_peer({"mpdfestimator", peer_python(), program}, wanted);
}

constexpr const char* kReport =
    "echo 'Dimensions: 3'\necho\necho 'Compute time: 0.25 sec 0 min 0 hour'\n";

}  // namespace

TEST_CASE("the authors' program keeps its times beside its error") {
  const Result right = row_of(1, kReport);
  INFO(right.reason);
  REQUIRE(right.status == Status::ok);
  CHECK(right.seconds == std::vector<double>{0.25, 0.25});
  CHECK(right.error.value_or(1) < 1e-12);
  const Result off = row_of(0.9, kReport);
  REQUIRE(off.status == Status::inexact);
  CHECK(off.seconds == std::vector<double>{0.25, 0.25});
  CHECK(off.error.value_or(0) == Approx(0.1).epsilon(1e-6));
  CHECK(off.reason == "off the density by 0.1 of the peak");
}

TEST_CASE("what the authors' program cannot do is a row with its reason") {
  CHECK(has(row_of(1, "echo oops >&2\nexit 4\n"), "mpdf ended with 4: oops"));
  CHECK(has(row_of(1, "echo done\n"), "reports no line 'Compute time"));
  CHECK(has(row_of(1, "echo 'Compute time: 50 sec'\n"), "took longer than --max-seconds 5"));
  BenchmarkCase wanted = small_peer_case();
  wanted.weighted = true;
  CHECK(has(row_of(1, kReport, wanted), "does not support weights"));
  wanted.weighted = false;
  wanted.shape = CloudShape::uniform;
  CHECK(has(row_of(1, kReport, wanted), "covariance of its samples"));
  wanted.shape = CloudShape::five_gaussians;
  wanted.kernel = KernelFunction::biweight;
  const Result row = row_of(1, kReport, wanted);
  CHECK(row.status == Status::skipped);
  CHECK(has(row, "Epanechnikov kernel only"));
}

#endif
