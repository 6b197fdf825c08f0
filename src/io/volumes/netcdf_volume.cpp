#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/output_file.hpp"
#include "io/volumes/slice_writer.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

/// In the order of the file's dimensions, z, y, x: names, attribute `axis`, and the axis in memory.
constexpr std::array<const char*, 3> kAxes{"z", "y", "x"};
constexpr std::array<const char*, 3> kAxisAttributes{"Z", "Y", "X"};

/// An open file; its calls turn codes of the library into errors of one kind that name the file.
class NetcdfFile {
 public:
  NetcdfFile(std::string name, ErrorKind kind) : name_(std::move(name)), kind_(kind) {}
  ~NetcdfFile() {
    if (id_ >= 0) nc_close(id_);
  }
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  void create(const std::string& path) { check(nc_create(path.c_str(), NC_NETCDF4, &id_)); }
  void open(const std::string& path) { check(nc_open(path.c_str(), NC_NOWRITE, &id_)); }
  /// Writes what is buffered; its failure is that of the file.
  void close() { check(nc_close(std::exchange(id_, -1))); }

  int id() const { return id_; }
  void check(int code) const {
    if (code != NC_NOERR) fail(nc_strerror(code));
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(kind_, fmt::format("{}: {}: {}", name_,
                                   kind_ == ErrorKind::output ? "cannot be written as NetCDF"
                                                              : "cannot be read as NetCDF volume",
                                   what));
  }

 private:
  std::string name_;
  ErrorKind kind_;
  int id_ = -1;
};

void put_text(const NetcdfFile& file, int variable, const char* name, std::string_view text) {
  file.check(nc_put_att_text(file.id(), variable, name, text.size(), text.data()));
}

void put_field(const NetcdfFile& file, const VolumeField& field) {
  if (const auto* const numbers = std::get_if<std::vector<double>>(&field.value))
    file.check(nc_put_att_double(file.id(), NC_GLOBAL, field.name.c_str(), NC_DOUBLE,
                                 numbers->size(), numbers->data()));
  else
    put_text(file, NC_GLOBAL, field.name.c_str(), std::get<std::string>(field.value));
}

/// What the values are, in words, and their units as UDUNITS writes them.
std::pair<std::string, std::string> quantity(const DensityMetadata& metadata) {
  const bool count = metadata.normalization == Normalization::count;
  const std::string units = metadata.units.empty() ? "1" : fmt::format("({})-3", metadata.units);
  return {count ? "density of samples" : "probability density", units};
}

/// The variable of the values, and those of the axes, in the order of the file's dimensions.
struct Variables {
  std::array<int, 3> axes{};
  int density = 0;
};

Variables define_variables(const NetcdfFile& file, const Grid& grid, Precision precision) {
  Variables variables;
  std::array<int, 3> dimensions{};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto cells = static_cast<std::size_t>(grid.dims[2 - d]);
    file.check(nc_def_dim(file.id(), kAxes[d], cells, &dimensions[d]));
    file.check(nc_def_var(file.id(), kAxes[d], NC_DOUBLE, 1, &dimensions[d], &variables.axes[d]));
  }
  const nc_type type = precision == Precision::f32 ? NC_FLOAT : NC_DOUBLE;
  int& density = variables.density;
  file.check(nc_def_var(file.id(), "density", type, 3, dimensions.data(), &density));
  // In one piece, so that slices go straight to their place and the library holds no chunks.
  file.check(nc_def_var_chunking(file.id(), density, NC_CONTIGUOUS, nullptr));
  // All values are written, so none need to be filled in before.
  file.check(nc_def_var_fill(file.id(), density, NC_NOFILL, nullptr));
  return variables;
}

void put_description(const NetcdfFile& file, const Variables& variables, const Grid& grid,
                     const DensityMetadata& metadata) {
  for (std::size_t d = 0; d < 3; ++d) {
    const int axis = variables.axes[d];
    put_text(file, axis, "axis", kAxisAttributes[d]);
    const std::string& axis_name = metadata.axis_names[2 - d];
    put_text(file, axis, "long_name",
             fmt::format("cell centres along {}", axis_name.empty() ? kAxes[d] : axis_name));
    if (!metadata.units.empty()) put_text(file, axis, "units", metadata.units);
  }
  const auto [name, units] = quantity(metadata);
  put_text(file, variables.density, "long_name", name);
  put_text(file, variables.density, "units", units);
  put_text(file, NC_GLOBAL, "Conventions", "CF-1.8");
  put_text(file, NC_GLOBAL, "title", "Kernel density estimate");
  put_text(file, NC_GLOBAL, "source", fmt::format("skde {}", metadata.version));
  for (const VolumeField& field : fields_of(metadata, grid)) put_field(file, field);
}

void put_coordinates(const NetcdfFile& file, const Grid& grid, const std::array<int, 3>& axes) {
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<double> centres(static_cast<std::size_t>(grid.dims[2 - d]));
    for (std::size_t i = 0; i < centres.size(); ++i)
      centres[i] = grid.first_centre()[2 - static_cast<int>(d)] +
                   static_cast<double>(i) * grid.spacing[2 - static_cast<int>(d)];
    file.check(nc_put_var_double(file.id(), axes[d], centres.data()));
  }
}

/// Whole slices, as many as make up a piece, at least one.
std::size_t piece_bytes(const Grid& grid, Precision precision) {
  const std::size_t slice = slice_bytes(grid, precision);
  return std::max<std::size_t>(1, kPieceBytes / slice) * slice;
}

class NetcdfWriter final : public SliceWriter {
 public:
  NetcdfWriter(const std::string& path, const Grid& grid, Precision precision)
      : SliceWriter(writing_stage(path), grid, precision, piece_bytes(grid, precision)),
        pending_(path),
        file_(path, ErrorKind::output) {
    file_.create(pending_.temporary());
    variables_ = define_variables(file_, grid, precision);
    file_.check(nc_enddef(file_.id()));
    put_coordinates(file_, grid, variables_.axes);
  }

 private:
  void append(std::string_view piece) override {
    const std::size_t slice = slice_bytes(grid(), precision());
    const auto height = static_cast<std::size_t>(grid().dims[1]),
               width = static_cast<std::size_t>(grid().dims[0]);
    const std::array<std::size_t, 3> start{bytes_before() / slice, 0, 0},
        count{piece.size() / slice, height, width};
    file_.check(
        nc_put_vara(file_.id(), variables_.density, start.data(), count.data(), piece.data()));
  }

  void complete(const DensityMetadata& metadata, Progress&) override {
    put_description(file_, variables_, grid(), metadata);
    file_.close();
    pending_.commit();
  }

  PendingPath pending_;
  NetcdfFile file_;
  Variables variables_;
};

// --- reading ---

/// `density`, or else the first variable of three dimensions.
int find_variable(const NetcdfFile& file) {
  int variable = 0, count = 0, dimensions = 0;
  if (nc_inq_varid(file.id(), "density", &variable) == NC_NOERR) {
    file.check(nc_inq_varndims(file.id(), variable, &dimensions));
    if (dimensions == 3) return variable;
  }
  file.check(nc_inq_nvars(file.id(), &count));
  for (variable = 0; variable < count; ++variable) {
    file.check(nc_inq_varndims(file.id(), variable, &dimensions));
    if (dimensions == 3) return variable;
  }
  file.fail("it has no variable of three dimensions");
}

/// First centre and spacing of the coordinate variable of a dimension; 0 and 1 where it has none.
/// The spacing is unset where there is one centre alone.
std::pair<double, std::optional<double>> read_axis(const NetcdfFile& file, int dimension,
                                                   std::size_t cells) {
  std::array<char, NC_MAX_NAME + 1> name{};
  file.check(nc_inq_dimname(file.id(), dimension, name.data()));
  int variable = 0, dimensions = 0, own = -1;
  if (nc_inq_varid(file.id(), name.data(), &variable) != NC_NOERR ||
      nc_inq_varndims(file.id(), variable, &dimensions) != NC_NOERR || dimensions != 1 ||
      nc_inq_vardimid(file.id(), variable, &own) != NC_NOERR || own != dimension)
    return {0, 1};
  std::vector<double> centres(cells);
  file.check(nc_get_var_double(file.id(), variable, centres.data()));
  if (cells == 1) return {centres[0], std::nullopt};
  const double spacing = (centres.back() - centres.front()) / static_cast<double>(cells - 1);
  for (std::size_t i = 0; i < cells; ++i) {
    const double even = centres[0] + static_cast<double>(i) * spacing;
    if (!(std::abs(centres[i] - even) <= 1e-3 * std::abs(spacing)))
      file.fail(fmt::format("its coordinates {} are not evenly spaced", name.data()));
  }
  return {centres[0], spacing};
}

VolumeFields read_fields(const NetcdfFile& file) {
  int count = 0;
  file.check(nc_inq_natts(file.id(), &count));
  VolumeFields fields;
  for (int a = 0; a < count; ++a) {
    std::array<char, NC_MAX_NAME + 1> name{};
    nc_type type = NC_NAT;
    std::size_t length = 0;
    file.check(nc_inq_attname(file.id(), NC_GLOBAL, a, name.data()));
    file.check(nc_inq_att(file.id(), NC_GLOBAL, name.data(), &type, &length));
    VolumeField field{name.data(), {}};
    if (type == NC_CHAR) {
      std::string text(length, '\0');
      file.check(nc_get_att_text(file.id(), NC_GLOBAL, name.data(), text.data()));
      field.value = std::move(text);
    } else if (type == NC_DOUBLE) {
      std::vector<double> numbers(length);
      file.check(nc_get_att_double(file.id(), NC_GLOBAL, name.data(), numbers.data()));
      field.value = std::move(numbers);
    } else {
      continue;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

Grid read_grid(const NetcdfFile& file, const std::string& path, int variable,
               const VolumeFields& fields) {
  std::array<int, 3> dimensions{};
  file.check(nc_inq_vardimid(file.id(), variable, dimensions.data()));
  const std::optional<Vec3> cell_size = cell_size_in(fields);
  std::array<std::int64_t, 3> dims{};
  Vec3 first, spacing;
  for (std::size_t d = 0; d < 3; ++d) {
    std::size_t cells = 0;
    file.check(nc_inq_dimlen(file.id(), dimensions[d], &cells));
    if (cells == 0 || cells >= std::size_t{1} << 31) file.fail("a side has no cells, or too many");
    const int axis = 2 - static_cast<int>(d);
    const auto [centre, step] = read_axis(file, dimensions[d], cells);
    dims[2 - d] = static_cast<std::int64_t>(cells);
    first[axis] = centre;
    spacing[axis] = step ? *step : cell_size ? (*cell_size)[axis] : 1;
  }
  return exact_grid(grid_of_file(path, first, spacing, dims), fields);
}

}  // namespace

std::unique_ptr<VolumeWriter> netcdf_writer(const std::string& path, const Grid& grid,
                                            Precision precision, const DensityMetadata&) {
  return std::make_unique<NetcdfWriter>(path, grid, precision);
}

VolumeFile read_netcdf(const std::string& path) {
  NetcdfFile file(path, ErrorKind::input);
  file.open(path);
  const int variable = find_variable(file);
  const VolumeFields fields = read_fields(file);
  const Grid grid = read_grid(file, path, variable, fields);
  nc_type type = NC_NAT;
  file.check(nc_inq_vartype(file.id(), variable, &type));
  const Precision precision = type == NC_FLOAT ? Precision::f32 : Precision::f64;
  require_volume_fits(path, grid, precision);
  Volume volume(grid, precision);
  file.check(precision == Precision::f32
                 ? nc_get_var_float(file.id(), variable, volume.values<float>().data())
                 : nc_get_var_double(file.id(), variable, volume.values<double>().data()));
  return {std::move(volume), metadata_from(fields)};
}

}  // namespace skde::io
