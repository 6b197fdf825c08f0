#include "bench/peers/mpdf_files.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"

#if SKDE_HAS_NETCDF
#include <netcdf.h>
#endif

namespace skde::bench {
namespace {

std::string with_slashes(Vec3 v) { return fmt::format("{}/{}/{}", v.x, v.y, v.z); }

}  // namespace

std::string mpdf_grid(const Grid& grid) {
  const Vec3 last = grid.centre(grid.dims[0] - 1, grid.dims[1] - 1, grid.dims[2] - 1);
  return fmt::format("{}:{}:{}", with_slashes(grid.first_centre()),
                     with_slashes(last + 1e-9 * grid.spacing), with_slashes(grid.spacing));
}

std::optional<double> mpdf_seconds(const std::string& line) {
  constexpr std::string_view kBegin = "Compute time:";
  if (!line.starts_with(kBegin)) return {};
  char* end = nullptr;
  const char* const number = line.c_str() + kBegin.size();
  const double seconds = std::strtod(number, &end);
  if (end == number || !(seconds >= 0)) return {};
  return seconds;
}

#if SKDE_HAS_NETCDF

namespace {

/// An open file; its calls turn codes of the library into errors that name the file.
class MpdfFile {
 public:
  explicit MpdfFile(const std::string& path) : path_(path) {
    check(nc_open(path.c_str(), NC_NOWRITE, &id_));
  }
  ~MpdfFile() { nc_close(id_); }
  MpdfFile(const MpdfFile&) = delete;
  MpdfFile& operator=(const MpdfFile&) = delete;

  int id() const { return id_; }
  void check(int code) const {
    if (code != NC_NOERR) fail(nc_strerror(code));
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(ErrorKind::input,
                fmt::format("{}: is no result of mpdfestimator: {}", path_, what));
  }

 private:
  std::string path_;
  int id_ = -1;
};

/// The variable, whose dimensions are those of the grid.
int find_variable(const MpdfFile& file, const Grid& grid) {
  int variable = 0, rank = 0;
  file.check(nc_inq_varid(file.id(), "PDF", &variable));
  file.check(nc_inq_varndims(file.id(), variable, &rank));
  if (rank != 3) file.fail(fmt::format("PDF has {} dimensions, not 3", rank));
  std::array<int, 3> dimensions{};
  file.check(nc_inq_vardimid(file.id(), variable, dimensions.data()));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::size_t length = 0;
    file.check(nc_inq_dimlen(file.id(), dimensions[axis], &length));
    if (static_cast<std::int64_t>(length) != grid.dims[axis])
      file.fail(fmt::format("{} values along axis {}, not {}", length, axis, grid.dims[axis]));
  }
  return variable;
}

}  // namespace

bool can_read_mpdf_volume() { return true; }

Volume read_mpdf_volume(const std::string& path, const Grid& grid) {
  const MpdfFile file(path);
  const int variable = find_variable(file, grid);
  std::vector<double> z_fastest(static_cast<std::size_t>(grid.cells()));
  file.check(nc_get_var_double(file.id(), variable, z_fastest.data()));
  std::vector<double> values(z_fastest.size());
  const auto [nx, ny, nz] = grid.dims;
  std::size_t from = 0;
  for (std::int64_t i = 0; i < nx; ++i)
    for (std::int64_t j = 0; j < ny; ++j)
      for (std::int64_t k = 0; k < nz; ++k)
        values[static_cast<std::size_t>(i + nx * (j + ny * k))] = z_fastest[from++];
  return {grid, std::move(values)};
}

#else

bool can_read_mpdf_volume() { return false; }

Volume read_mpdf_volume(const std::string& path, const Grid&) {
  throw Error(ErrorKind::input, path + ": cannot be read: skde was built without NetCDF");
}

#endif

}  // namespace skde::bench
