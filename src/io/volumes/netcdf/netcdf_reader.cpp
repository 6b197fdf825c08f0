#include <fmt/core.h>
#include <hdf5.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "io/text/text_fields.hpp"
#include "io/values/hdf5_handle.hpp"
#include "io/values/scalar_type.hpp"
#include "io/volumes/netcdf/netcdf_axes.hpp"
#include "io/volumes/netcdf/netcdf_file.hpp"
#include "io/volumes/standard_error_field.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

/// The number of an attribute that has just one, otherwise `other`.
double number_or(const std::vector<double>& numbers, double other) {
  return numbers.size() == 1 ? numbers[0] : other;
}

/// Reads how the values of a variable are packed.
ValuePacking read_packing(const NetcdfFile& file, int variable) {
  nc_type type = NC_NAT;
  int unfilled = 0;
  std::size_t bytes = 0;
  file.check(nc_inq_vartype(file.id(), variable, &type));
  file.check(nc_inq_var_fill(file.id(), variable, &unfilled, nullptr));
  file.check(nc_inq_type(file.id(), type, nullptr, &bytes));
  const bool whole = type != NC_FLOAT && type != NC_DOUBLE;
  const bool is_signed = type == NC_BYTE || type == NC_SHORT || type == NC_INT || type == NC_INT64;
  ValuePacking packing;
  // The classic formats have no unsigned types.
  if (is_signed && lower_case(text_attribute(file, variable, "_Unsigned")) == "true")
    packing.wrap = std::ldexp(1.0, static_cast<int>(8 * bytes));
  packing.take_attributes([&](const char* name) { return number_attribute(file, variable, name); },
                          type == NC_FLOAT,
                          unfilled == 0 ? netcdf_fill(whole, is_signed, bytes) : std::nullopt);
  packing.factor = number_or(number_attribute(file, variable, "scale_factor"), 1);
  packing.offset = number_or(number_attribute(file, variable, "add_offset"), 0);
  return packing;
}

bool is_numeric(nc_type type) { return type >= NC_BYTE && type <= NC_UINT64 && type != NC_CHAR; }

/// A numeric variable of three dimensions or more.
struct NamedVariable {
  int id = 0;
  std::string name;
  std::vector<int> dimensions{};
};

std::vector<NamedVariable> volumes_in(const NetcdfFile& file) {
  int count = 0, dimensions = 0;
  file.check(nc_inq_nvars(file.id(), &count));
  std::vector<NamedVariable> found;
  for (int variable = 0; variable < count; ++variable) {
    nc_type type = NC_NAT;
    std::array<char, NC_MAX_NAME + 1> name{};
    file.check(nc_inq_varndims(file.id(), variable, &dimensions));
    file.check(nc_inq_vartype(file.id(), variable, &type));
    file.check(nc_inq_varname(file.id(), variable, name.data()));
    if (dimensions < 3 || !is_numeric(type)) continue;
    NamedVariable volume{variable, name.data(),
                         std::vector<int>(static_cast<std::size_t>(dimensions))};
    file.check(nc_inq_vardimid(file.id(), variable, volume.dimensions.data()));
    found.push_back(std::move(volume));
  }
  return found;
}

/// Returns the variable of this name; without a name, `density`, or else the first one.
const NamedVariable& find_variable(const NetcdfFile& file, const std::string& path,
                                   const std::vector<NamedVariable>& volumes,
                                   const std::string& wanted) {
  const auto found =
      std::ranges::find(volumes, wanted.empty() ? "density" : wanted, &NamedVariable::name);
  if (found != volumes.end()) return *found;
  if (volumes.empty()) file.fail("it has no variable of three dimensions");
  if (wanted.empty()) return volumes.front();
  std::vector<std::string> names;
  names.reserve(volumes.size());
  for (const NamedVariable& volume : volumes) names.push_back(volume.name);
  refuse_field(path, wanted, names);
}

/// Reads the attributes of one variable, or of the file (NC_GLOBAL).
VolumeFields read_fields(const NetcdfFile& file, int of) {
  int count = 0;
  file.check(nc_inq_varnatts(file.id(), of, &count));
  VolumeFields fields;
  for (int a = 0; a < count; ++a) {
    std::array<char, NC_MAX_NAME + 1> name{};
    nc_type type = NC_NAT;
    std::size_t length = 0;
    file.check(nc_inq_attname(file.id(), of, a, name.data()));
    file.check(nc_inq_att(file.id(), of, name.data(), &type, &length));
    VolumeField field{name.data(), {}};
    if (type == NC_CHAR) {
      std::string text(length, '\0');
      file.check(nc_get_att_text(file.id(), of, name.data(), text.data()));
      field.value = std::move(text);
    } else if (type == NC_STRING) {
      field.value = text_attribute(file, of, name.data());
    } else if (type == NC_DOUBLE) {
      std::vector<double> numbers(length);
      file.check(nc_get_att_double(file.id(), of, name.data(), numbers.data()));
      field.value = std::move(numbers);
    } else {
      continue;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

struct NetcdfDescription {
  int variable = 0;
  NetcdfAxes axes;
  VolumeHead head;
};

/// The fields of the file, overridden by those of the variable, where xarray has all of them; the
/// variable's `units` are skipped, because they are those of its values.
VolumeFields fields_of_one(const NetcdfFile& file, int variable) {
  VolumeFields fields = read_fields(file, NC_GLOBAL);
  for (VolumeField& own : read_fields(file, variable)) {
    if (own.name == "units") continue;
    std::erase_if(fields, [&](const VolumeField& other) { return other.name == own.name; });
    fields.push_back(std::move(own));
  }
  return fields;
}

NetcdfDescription describe(const NetcdfFile& file, const std::string& path,
                           const std::string& wanted) {
  std::vector<NamedVariable> volumes = volumes_in(file);
  const NamedVariable chosen = find_variable(file, path, volumes, wanted);
  // Variables along other axes are something else, such as bounds of cells.
  std::erase_if(volumes,
                [&](const NamedVariable& other) { return other.dimensions != chosen.dimensions; });
  NetcdfDescription result{chosen.id, {}, {}};
  const VolumeFields fields = fields_of_one(file, chosen.id);
  result.axes = read_axes(file, result.variable, cell_size_in(fields));
  const Grid grid = grid_along(path, result.axes.file);
  result.head = {exact_grid(grid, fields), result.axes.placed, metadata_from(fields)};
  if (result.head.metadata.units.empty()) result.head.metadata.units = result.axes.units;
  if (volumes.size() > 1) {
    for (const NamedVariable& volume : volumes) result.head.fields.push_back(volume.name);
    result.head.field = chosen.name;
    name_values(result.head.metadata, chosen.name);
  }
  return result;
}

/// A file can promise values that it does not hold; zlib packs at most 1032:1.
void require_values(const NetcdfFile& file, const std::string& path, const Grid& grid) {
  std::error_code unknown;
  const auto bytes = static_cast<double>(std::filesystem::file_size(path, unknown));
  if (!unknown && static_cast<double>(grid.cells()) > 1032 * bytes)
    file.fail(
        fmt::format("its {:.0f} bytes cannot hold {} values; it is broken, or most of its values "
                    "were never written",
                    bytes, grid.cells()));
}

template <class Real, class Get>
void read_into(const NetcdfFile& file, const NetcdfDescription& description, Get get,
               Volume& volume) {
  const std::span<Real> values = volume.values<Real>();
  file.check(get(file.id(), description.variable, values.data()));
  const ValuePacking packing = read_packing(file, description.variable);
  if (packing.is_plain()) return;
  for (Real& value : values) value = static_cast<Real>(packing.value(static_cast<double>(value)));
}

/// Throws Error(input) if values are in other files.
void require_own_storage(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // skde reports the errors itself
  const Hdf5Handle file = open_hdf5_path(path);
  // A classic format, or not NetCDF at all.
  if (!file && H5Fis_hdf5(path.c_str()) <= 0) return;
  const std::optional<std::string> elsewhere = file ? storage_elsewhere(file.id()) : std::nullopt;
  if (!elsewhere)
    refuse_volume(path, "cannot be read as a NetCDF volume: it is broken or truncated",
                  "fetch it again");
  if (!elsewhere->empty())
    refuse_volume(
        path,
        fmt::format(
            "cannot be read as a NetCDF volume: it has {}, so its values are in other files",
            *elsewhere),
        "copy them into it ('nccopy', 'h5repack')");
}

NetcdfFile opened(const std::string& path) {
  require_own_storage(path);
  NetcdfFile file(path, ErrorKind::input);
  file.open(path);
  return file;
}

}  // namespace

VolumeHead read_netcdf_head(const std::string& path, const std::string& field) {
  const NetcdfFile file = opened(path);
  return describe(file, path, field).head;
}

VolumeFile read_netcdf(const std::string& path, const std::string& field) {
  const NetcdfFile file = opened(path);
  const NetcdfDescription description = describe(file, path, field);
  const VolumeHead& head = description.head;
  nc_type type = NC_NAT;
  file.check(nc_inq_vartype(file.id(), description.variable, &type));
  if (!is_numeric(type)) file.fail("its density must be numbers");
  const bool small = type == NC_BYTE || type == NC_UBYTE || type == NC_SHORT || type == NC_USHORT;
  const Precision precision = type == NC_FLOAT || small ? Precision::f32 : Precision::f64;
  require_values(file, path, head.grid);
  require_volume_fits(path, head.grid, precision);
  Volume volume(head.grid, precision);
  if (precision == Precision::f32)
    read_into<float>(file, description, nc_get_var_float, volume);
  else
    read_into<double>(file, description, nc_get_var_double, volume);
  put_in_order(volume, description.axes.file);
  return {std::move(volume), head.metadata, head.placed, {}, head.fields, head.field};
}

}  // namespace skde::io
