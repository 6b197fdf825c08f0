#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_writer.hpp"

namespace skde::io {

/// The head of a file that stands before the values and is written twice: when writing begins, and
/// in the same room when all is known. What shorter numbers leave of the room is filled with
/// blanks.
class RewrittenHead {
 public:
  /// The head that says these fields, with so many blanks where the format allows some.
  using Text = std::function<std::string(const VolumeFields& fields, std::size_t blanks)>;

  /// Makes room for any numbers beside the texts of `expected`.
  RewrittenHead(Text text, const DensityMetadata& expected, const Grid& grid);

  /// The head, as long for all metadata. std::logic_error where texts are longer than expected.
  std::string with(const DensityMetadata& metadata) const;

 private:
  Text text_;
  Grid grid_;
  std::size_t room_;
};

/// Of formats that are such a head and the values as they are.
std::unique_ptr<VolumeWriter> headed_writer(const std::string& path, const Grid& grid,
                                            Precision precision, const DensityMetadata& expected,
                                            RewrittenHead::Text text);

}  // namespace skde::io
