#pragma once

#include <cstddef>
#include <vector>

#include "io/volumes/volume_fields.hpp"

namespace skde::io {

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
