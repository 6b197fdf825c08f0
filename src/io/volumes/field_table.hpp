#pragma once

#include <cstddef>
#include <vector>

#include "io/volumes/volume_fields.hpp"

namespace skde::io {

/// The numbers of several densities' metadata as one row a name, those of one density after those
/// of another: "fields_samples"; 0 for what one of them lacks.
VolumeFields field_table(const std::vector<DensityMetadata>& metadata, const Grid& grid);

/// As long as any table of so many densities.
VolumeFields longest_field_table(std::size_t fields, const Grid& grid);

/// The metadata of one of `fields` densities: what is common to all, with what a table says of it.
VolumeFields fields_of_one(const VolumeFields& common, const VolumeFields& table, std::size_t field,
                           std::size_t fields);

/// A row of a table from the text of a file; unset where it is none.
std::optional<VolumeField> table_row_from_text(std::string_view name, std::string_view text);

}  // namespace skde::io
