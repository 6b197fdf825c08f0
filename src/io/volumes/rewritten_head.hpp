#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_writer.hpp"

namespace skde::io {

/// A head of a file, in front of the values, that is written twice: when writing begins, and again
/// in the same space when everything is known. Space that shorter numbers leave is filled with
/// blanks.
class RewrittenHead {
 public:
  /// Returns the head with these fields, and with so many blanks if the format allows blanks.
  using Text = std::function<std::string(const VolumeFields& fields, std::size_t blanks)>;

  /// Reserves space for any numbers and for the texts of `expected`.
  RewrittenHead(Text text, const DensityMetadata& expected, const Grid& grid);

  /// Returns the head, which has the same length for all metadata. Throws std::logic_error if texts
  /// are longer than expected.
  std::string with(const DensityMetadata& metadata) const;
  std::size_t room() const { return room_; }

 private:
  Text text_;
  Grid grid_;
  std::size_t room_;
};

/// Writer for formats that consist of such a head and the raw values.
std::unique_ptr<VolumeWriter> headed_writer(const std::string& path, const Grid& grid,
                                            Precision precision, const DensityMetadata& expected,
                                            RewrittenHead::Text text);

}  // namespace skde::io
