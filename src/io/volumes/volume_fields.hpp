#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/space/grid.hpp"

namespace skde::io {

/// A metadata item of a volume, as files keep it: a text, or one or more numbers.
struct VolumeField {
  std::string name;
  std::variant<std::string, std::vector<double>> value;

  friend bool operator==(const VolumeField&, const VolumeField&) = default;
};
using VolumeFields = std::vector<VolumeField>;

/// Returns the metadata and the grid as fields. Unknown items (no units, no h) are left out. A
/// volume that is not a density of skde (no samples, no version) keeps only its units. A volume
/// that was computed from densities (it has `values`) has no fields about samples. H is
/// xx,xy,xz,yy,yz,zz; lower_corner and cell_size are the grid's to the last bit, unlike the origins
/// that the formats store.
VolumeFields fields_of(const DensityMetadata& metadata, const Grid& grid);

/// Returns the same fields, but with the longest possible number for every number of the metadata,
/// known or not. They take as much space as those of any density with the texts of `expected`.
VolumeFields longest_fields(const DensityMetadata& expected, const Grid& grid);

/// Returns the numbers of a field as text, separated by `separator`, or its text.
std::string field_text(const VolumeField& field, std::string_view separator);

/// Parses a field from the text of a file; unset if skde has no field of that name, or if the text
/// is not the required list of numbers.
std::optional<VolumeField> field_from_text(std::string_view name, std::string_view text);

/// Returns the metadata in the fields; fields that are absent or make no sense keep their defaults.
DensityMetadata metadata_from(const VolumeFields& fields);

/// Returns the lengths of a cell's edges, if the fields state them.
std::optional<Vec3> cell_size_in(const VolumeFields& fields);

/// Returns the grid of these dims that the fields state, to the last bit; unset if they state none.
std::optional<Grid> grid_in(const VolumeFields& fields, const std::array<std::int64_t, 3>& dims);

/// Returns `grid`, as read from a format, or the exact grid of the fields if both agree.
Grid exact_grid(const Grid& grid, const VolumeFields& fields);

/// Returns the numbers in several densities' metadata as one row per name, "fields_samples". A row
/// holds the numbers of one density after those of another, and 0 for a missing number.
VolumeFields field_table(const std::vector<DensityMetadata>& metadata, const Grid& grid);

/// Returns a table as long as the longest one for so many densities.
VolumeFields longest_field_table(std::size_t fields, const Grid& grid);

/// Returns the metadata of one of `fields` densities: the common fields, overridden by its part of
/// the table.
VolumeFields fields_of_one(const VolumeFields& common, const VolumeFields& table, std::size_t field,
                           std::size_t fields);

/// Parses a row of a table from the text of a file; unset if it is not one.
std::optional<VolumeField> table_row_from_text(std::string_view name, std::string_view text);

}  // namespace skde::io
