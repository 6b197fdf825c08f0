#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "io/volumes/slice_writer.hpp"

namespace skde::io {

/// Writes several densities on one grid to one file, one after another. They are written as the
/// slices of one tall volume; no call of write() may have slices of two densities.
class FieldsWriter : public SliceWriter {
 public:
  /// Sets the metadata of one density; required before finish(), whose own metadata are those
  /// common to all.
  void describe(std::size_t field, DensityMetadata metadata) {
    described_[field] = std::move(metadata);
  }

 protected:
  FieldsWriter(std::string stage, const Grid& grid, Precision precision, std::size_t piece_bytes,
               std::vector<std::string> names)
      : SliceWriter(std::move(stage), stacked(grid, names.size()), precision, piece_bytes),
        each_(grid),
        names_(std::move(names)),
        described_(names_.size()) {}

  /// The grid of each field.
  const Grid& each() const { return each_; }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<DensityMetadata>& described() const { return described_; }
  std::uint64_t field_bytes() const { return static_cast<std::uint64_t>(each_.bytes(precision())); }

 private:
  static Grid stacked(Grid grid, std::size_t fields) {
    grid.dims[2] *= static_cast<std::int64_t>(fields);
    return grid;
  }

  Grid each_;
  std::vector<std::string> names_;
  std::vector<DensityMetadata> described_;
};

}  // namespace skde::io
