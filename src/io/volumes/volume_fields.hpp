#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/grid.hpp"

namespace skde::io {

/// One fact about a volume, as files keep it: a text, or one or more numbers.
struct VolumeField {
  std::string name;
  std::variant<std::string, std::vector<double>> value;

  friend bool operator==(const VolumeField&, const VolumeField&) = default;
};
using VolumeFields = std::vector<VolumeField>;

/// The metadata and the grid as fields; those that are not known (no units, no h) are left out, and
/// of a volume that is no density of skde (no samples, no version) all but its units, and of one
/// that was made of densities (it has `values`) what is about samples.
/// H is xx,xy,xz,yy,yz,zz; lower_corner and cell_size are the grid's, to the last bit, which the
/// origins of the formats are not.
VolumeFields fields_of(const DensityMetadata& metadata, const Grid& grid);

/// The same with the longest number that there is in place of every number of the metadata, known
/// or not: what takes as much room as any density with the texts of `expected`.
VolumeFields longest_fields(const DensityMetadata& expected, const Grid& grid);

/// The numbers of a field as text, separated by `separator`, or its text.
std::string field_text(const VolumeField& field, std::string_view separator);

/// A field from the text that a file holds; unset where skde has no field of that name or the text
/// is no list of numbers where one is due.
std::optional<VolumeField> field_from_text(std::string_view name, std::string_view text);

/// What the fields say; fields that are absent or make no sense keep their defaults.
DensityMetadata metadata_from(const VolumeFields& fields);

/// The lengths of a cell's edges, where the fields tell them.
std::optional<Vec3> cell_size_in(const VolumeFields& fields);

/// The grid of these dims that the fields tell, to the last bit; unset where they tell none.
std::optional<Grid> grid_in(const VolumeFields& fields, const std::array<std::int64_t, 3>& dims);

/// `grid`, as a format gives it, with the exact values of the fields where both agree.
Grid exact_grid(const Grid& grid, const VolumeFields& fields);

}  // namespace skde::io
