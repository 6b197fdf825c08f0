#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "io/output_file.hpp"
#include "io/volumes/netcdf_file.hpp"
#include "io/volumes/slice_writer.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"

namespace skde::io {
namespace {

/// In the order of the file's dimensions, z, y, x: names, attribute `axis`, and the axis in memory.
constexpr std::array<const char*, 3> kAxes{"z", "y", "x"};
constexpr std::array<const char*, 3> kAxisAttributes{"Z", "Y", "X"};

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
  if (!metadata.values.empty()) return {metadata.values, "1"};
  const bool count = metadata.normalization == Normalization::count;
  const std::string units = metadata.units.empty() ? "1" : fmt::format("({})-3", metadata.units);
  return {count ? "density of samples" : "probability density", units};
}

/// The variable of the values, and those of the axes, in the order of the file's dimensions.
struct Variables {
  std::array<int, 3> axes{};
  int density = 0;
};

Variables define_variables(const NetcdfFile& file, const Grid& grid, Precision precision,
                           const std::string& name) {
  Variables variables;
  std::array<int, 3> dimensions{};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto cells = static_cast<std::size_t>(grid.dims[2 - d]);
    file.check(nc_def_dim(file.id(), kAxes[d], cells, &dimensions[d]));
    file.check(nc_def_var(file.id(), kAxes[d], NC_DOUBLE, 1, &dimensions[d], &variables.axes[d]));
  }
  const nc_type type = precision == Precision::f32 ? NC_FLOAT : NC_DOUBLE;
  int& density = variables.density;
  file.check(nc_def_var(file.id(), name.c_str(), type, 3, dimensions.data(), &density));
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
  put_text(file, NC_GLOBAL, "Conventions", "CF-1.8");
  if (!metadata.version.empty()) {  // and no volume of another program
    const auto [name, units] = quantity(metadata);
    put_text(file, variables.density, "long_name", name);
    put_text(file, variables.density, "units", units);
    if (metadata.values.empty()) put_text(file, NC_GLOBAL, "title", "Kernel density estimate");
    put_text(file, NC_GLOBAL, "source", fmt::format("skde {}", metadata.version));
  }
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

/// More than the file has besides its values: coordinates and attributes.
std::uint64_t head_bytes(const Grid& grid) {
  constexpr std::uint64_t kTexts = std::uint64_t{1} << 18;
  return kTexts +
         sizeof(double) * static_cast<std::uint64_t>(grid.dims[0] + grid.dims[1] + grid.dims[2]);
}

class NetcdfWriter final : public SliceWriter {
 public:
  NetcdfWriter(const std::string& path, const Grid& grid, Precision precision,
               const DensityMetadata& expected)
      : SliceWriter(writing_stage(path), grid, precision, piece_bytes(grid, precision)),
        pending_(path),
        file_(path, ErrorKind::output) {
    // A file that libhdf5 cannot close for want of room ends the program with it.
    pending_.try_room(static_cast<std::uint64_t>(grid.bytes(precision)) + head_bytes(grid));
    file_.create(pending_.temporary());
    variables_ = define_variables(file_, grid, precision,
                                  expected.values.empty() ? "density" : expected.values);
    file_.check(nc_enddef(file_.id()));
    put_coordinates(file_, grid, variables_.axes);
  }
  NetcdfWriter(const NetcdfWriter&) = delete;
  NetcdfWriter& operator=(const NetcdfWriter&) = delete;
  ~NetcdfWriter() override {
    pending_.give_up_room();  // of one that failed, for what libhdf5 still writes to close it
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
    file_.flush();
    file_.close();
    pending_.commit();
  }

  PendingPath pending_;
  NetcdfFile file_;
  Variables variables_;
};

}  // namespace

std::unique_ptr<VolumeWriter> netcdf_writer(const std::string& path, const Grid& grid,
                                            Precision precision, const DensityMetadata& expected) {
  return std::make_unique<NetcdfWriter>(path, grid, precision, expected);
}

}  // namespace skde::io
