#include <fmt/core.h>
#include <hdf5.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "io/bytes/output_file.hpp"
#include "io/values/hdf5_handle.hpp"
#include "io/volumes/netcdf/netcdf_file.hpp"
#include "io/volumes/standard_error_field.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_writer.hpp"

namespace skde::io {
namespace {

/// In the order of the file's dimensions, z, y, x: names, attribute `axis`, and axis in memory.
constexpr std::array<const char*, 3> kAxes{"z", "y", "x"};
constexpr std::array<const char*, 3> kAxisAttributes{"Z", "Y", "X"};

void put_text(const NetcdfFile& file, int variable, const char* name, std::string_view text) {
  file.check(nc_put_att_text(file.id(), variable, name, text.size(), text.data()));
}

void put_field(const NetcdfFile& file, int of, const VolumeField& field) {
  if (const auto* const numbers = std::get_if<std::vector<double>>(&field.value))
    file.check(nc_put_att_double(file.id(), of, field.name.c_str(), NC_DOUBLE, numbers->size(),
                                 numbers->data()));
  else
    put_text(file, of, field.name.c_str(), std::get<std::string>(field.value));
}

/// Name of the quantity in words, and its unit in the notation of UDUNITS.
std::pair<std::string, std::string> quantity(const DensityMetadata& metadata) {
  const bool errors = metadata.values == kStandardError;
  if (!metadata.values.empty() && !errors) return {metadata.values, "1"};
  const bool count = metadata.normalization == Normalization::count;
  const std::string units = metadata.units.empty() ? "1" : fmt::format("({})-3", metadata.units);
  return {errors ? "standard error" : count ? "density of samples" : "probability density", units};
}

/// The variables of the values and of the axes, in the order of the file's dimensions.
struct Variables {
  std::array<int, 3> axes{};
  std::vector<int> values;
};

Variables define_variables(const NetcdfFile& file, const Grid& grid, Precision precision,
                           const std::vector<std::string>& names) {
  Variables variables;
  std::array<int, 3> dimensions{};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto cells = static_cast<std::size_t>(grid.dims[2 - d]);
    file.check(nc_def_dim(file.id(), kAxes[d], cells, &dimensions[d]));
    file.check(nc_def_var(file.id(), kAxes[d], NC_DOUBLE, 1, &dimensions[d], &variables.axes[d]));
  }
  const nc_type type = precision == Precision::f32 ? NC_FLOAT : NC_DOUBLE;
  for (const std::string& name : names) {
    int& values = variables.values.emplace_back();
    file.check(nc_def_var(file.id(), name.c_str(), type, 3, dimensions.data(), &values));
    // Contiguous, so that slices are written directly to their place and the library keeps no
    // chunks.
    file.check(nc_def_var_chunking(file.id(), values, NC_CONTIGUOUS, nullptr));
    // All values are written, so the file need not be prefilled.
    file.check(nc_def_var_fill(file.id(), values, NC_NOFILL, nullptr));
  }
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
  put_text(file, NC_GLOBAL, "Conventions", "CF-1.8");
  if (!metadata.version.empty()) {  // not a volume of another program
    const auto [name, units] = quantity(metadata);
    for (const int values : variables.values) {
      put_text(file, values, "long_name", name);
      put_text(file, values, "units", units);
    }
    if (metadata.values.empty()) put_text(file, NC_GLOBAL, "title", "Kernel density estimate");
    put_text(file, NC_GLOBAL, "source", fmt::format("skde {}", metadata.version));
  }
  for (const VolumeField& field : fields_of(metadata, grid)) put_field(file, NC_GLOBAL, field);
}

/// Writes the fields of one of several volumes, and its original name as `long_name`.
void put_description_of_one(const NetcdfFile& file, int values, const Grid& grid,
                            const std::string& name, const DensityMetadata& metadata) {
  put_text(file, values, "long_name", name);
  for (const VolumeField& field : fields_of(metadata, grid))
    if (field.name != "units") put_field(file, values, field);  // units are those of the values
}

/// Names valid for the library: no slash, no blank at either end, a letter, digit or underscore
/// first, all different, and different from the axes' names.
std::vector<std::string> variable_names(const std::vector<std::string>& names) {
  std::vector<std::string> taken{kAxes.begin(), kAxes.end()};
  std::vector<std::string> result;
  for (std::string name : names) {
    for (char& c : name)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '/') c = '_';
    name = name.substr(0, NC_MAX_NAME / 2);
    const bool begins_well =
        !name.empty() && (std::isalnum(static_cast<unsigned char>(name.front())) != 0 ||
                          name.front() == '_' || static_cast<unsigned char>(name.front()) > 127);
    if (!begins_well) name.insert(name.begin(), '_');
    if (name.back() == ' ') name.back() = '_';
    while (std::ranges::find(taken, name) != taken.end()) name += '_';
    taken.push_back(name);
    result.push_back(std::move(name));
  }
  return result;
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

/// As many whole slices as fit into a piece, but at least one.
std::size_t piece_bytes(const Grid& grid, Precision precision) {
  const std::size_t slice = slice_bytes(grid, precision);
  return std::max<std::size_t>(1, kPieceBytes / slice) * slice;
}

/// Upper bound on what the file holds besides its values: coordinates and attributes.
std::uint64_t head_bytes(const Grid& grid) {
  constexpr std::uint64_t kTexts = std::uint64_t{1} << 18;
  return kTexts +
         sizeof(double) * static_cast<std::uint64_t>(grid.dims[0] + grid.dims[1] + grid.dims[2]);
}

/// The file of one or several volumes.
class VariablesFile {
 public:
  VariablesFile(const std::string& path, const Grid& grid, Precision precision,
                const std::vector<std::string>& names)
      : grid_(grid), precision_(precision), pending_(path), file_(path, ErrorKind::output) {
    // If libhdf5 cannot close a file for lack of disk space, it terminates the program.
    pending_.try_room(names.size() *
                      (static_cast<std::uint64_t>(grid.bytes(precision)) + head_bytes(grid)));
    file_.create(pending_.temporary());
    variables_ = define_variables(file_, grid, precision, names);
    file_.check(nc_enddef(file_.id()));
    put_coordinates(file_, grid, variables_.axes);
  }
  VariablesFile(const VariablesFile&) = delete;
  VariablesFile& operator=(const VariablesFile&) = delete;
  ~VariablesFile() {
    pending_.give_up_room();  // after a failure, makes room for what libhdf5 writes to close the
                              // file
  }

  /// Writes whole slices at byte `at` of a variable.
  void put(std::size_t variable, std::uint64_t at, std::string_view piece) {
    const std::size_t slice = slice_bytes(grid_, precision_);
    const auto height = static_cast<std::size_t>(grid_.dims[1]),
               width = static_cast<std::size_t>(grid_.dims[0]);
    const std::array<std::size_t, 3> start{at / slice, 0, 0},
        count{piece.size() / slice, height, width};
    file_.check(nc_put_vara(file_.id(), variables_.values[variable], start.data(), count.data(),
                            piece.data()));
  }
  void describe(const DensityMetadata& metadata) {
    put_description(file_, variables_, grid_, metadata);
  }
  void describe(std::size_t variable, const std::string& name, const DensityMetadata& metadata) {
    put_description_of_one(file_, variables_.values[variable], grid_, name, metadata);
  }
  void complete() {
    file_.flush();
    file_.close();
    pending_.commit();
  }

 private:
  Grid grid_;
  Precision precision_;
  PendingPath pending_;
  NetcdfFile file_;
  Variables variables_;
};

class NetcdfWriter final : public SliceWriter {
 public:
  NetcdfWriter(const std::string& path, const Grid& grid, Precision precision,
               const DensityMetadata& expected)
      : SliceWriter(writing_stage(path), grid, precision, piece_bytes(grid, precision)),
        file_(path, grid, precision, {expected.values.empty() ? "density" : expected.values}) {}

 private:
  void append(std::string_view piece) override { file_.put(0, bytes_before(), piece); }
  void complete(const DensityMetadata& metadata, Progress&) override {
    file_.describe(metadata);
    file_.complete();
  }

  VariablesFile file_;
};

/// Writes one variable per volume.
class NetcdfFieldsWriter final : public FieldsWriter {
 public:
  NetcdfFieldsWriter(const std::string& path, const Grid& grid, Precision precision,
                     std::vector<std::string> names)
      : FieldsWriter(writing_stage(path), grid, precision, piece_bytes(grid, precision),
                     std::move(names)),
        file_(path, grid, precision, variable_names(this->names())) {}

 private:
  void append(std::string_view piece) override {
    file_.put(bytes_before() / field_bytes(), bytes_before() % field_bytes(), piece);
  }
  void complete(const DensityMetadata& common, Progress&) override {
    file_.describe(common);
    for (std::size_t i = 0; i < names().size(); ++i) file_.describe(i, names()[i], described()[i]);
    file_.complete();
  }

  VariablesFile file_;
};

/// Position in the file where the values of a contiguous variable begin.
std::uint64_t place_of_values(const std::string& path, const std::string& name,
                              const std::string& variable) {
  const Hdf5Handle file = open_hdf5_path(path);
  const Hdf5Handle values(file ? H5Dopen2(file.id(), variable.c_str(), H5P_DEFAULT) : -1, H5Dclose);
  const haddr_t place = values ? H5Dget_offset(values.id()) : HADDR_UNDEF;
  if (place == HADDR_UNDEF)
    throw Error(ErrorKind::output,
                fmt::format("{}: several ranks cannot write it as NetCDF", name));
  return place;
}

std::string bytes_at(const std::string& path, std::uint64_t begin, std::uint64_t end) {
  std::string bytes(end - begin, '\0');
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw Error(ErrorKind::output, fmt::format("{}: cannot be read back", path));
  return bytes;
}

}  // namespace

/// Taken from a temporary file with a hole for the values: writing the last value makes the library
/// allocate space for all of them.
VolumeFrame netcdf_frame(const Grid& grid, Precision precision, const DensityMetadata& metadata) {
  const PendingPath frame((std::filesystem::temp_directory_path() / "skde_frame.nc").string());
  const std::string name = metadata.values.empty() ? "density" : metadata.values;
  NetcdfFile file("frame", ErrorKind::output);
  file.create(frame.temporary());
  const Variables variables = define_variables(file, grid, precision, {name});
  file.check(nc_enddef(file.id()));
  put_coordinates(file, grid, variables.axes);
  const std::array<std::size_t, 3> last{static_cast<std::size_t>(grid.dims[2] - 1),
                                        static_cast<std::size_t>(grid.dims[1] - 1),
                                        static_cast<std::size_t>(grid.dims[0] - 1)};
  const double nothing = 0;
  file.check(nc_put_var1_double(file.id(), variables.values.front(), last.data(), &nothing));
  put_description(file, variables, grid, metadata);
  file.close();
  const std::uint64_t begin = place_of_values(frame.temporary(), "frame", name);
  const std::uint64_t end = begin + static_cast<std::uint64_t>(grid.bytes(precision));
  return {bytes_at(frame.temporary(), 0, begin),
          bytes_at(frame.temporary(), end, std::filesystem::file_size(frame.temporary()))};
}

std::unique_ptr<VolumeWriter> netcdf_writer(const std::string& path, const Grid& grid,
                                            Precision precision, const DensityMetadata& expected) {
  return std::make_unique<NetcdfWriter>(path, grid, precision, expected);
}

std::unique_ptr<FieldsWriter> netcdf_fields_writer(const std::string& path, const Grid& grid,
                                                   Precision precision,
                                                   std::vector<std::string> names,
                                                   const DensityMetadata& /*expected*/) {
  return std::make_unique<NetcdfFieldsWriter>(path, grid, precision, std::move(names));
}

}  // namespace skde::io
