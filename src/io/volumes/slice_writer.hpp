#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/volumes/volume_writer.hpp"

namespace skde::io {

/// What the writers of all formats share: slices are checked, counted and told of, and reach the
/// format as bytes, in pieces after each of which the work can be cancelled.
class SliceWriter : public VolumeWriter {
 public:
  void write(ValueSpan slices, Progress& progress) final;
  void finish(const DensityMetadata& metadata, Progress& progress) final;

 protected:
  /// `stage` names what write() does. Pieces begin at the first of the slices that write() is given
  /// and have `piece_bytes` each, but for the last one.
  SliceWriter(std::string stage, const Grid& grid, Precision precision, std::size_t piece_bytes);

  const Grid& grid() const { return grid_; }
  Precision precision() const { return precision_; }
  /// Those of all values.
  std::uint64_t total_bytes() const;
  /// Those of the values before the piece that append() is given.
  std::uint64_t bytes_before() const { return done_; }

 private:
  virtual void append(std::string_view piece) = 0;
  /// Called when all values were appended.
  virtual void complete(const DensityMetadata& metadata, Progress& progress) = 0;

  std::string stage_;
  Grid grid_;
  Precision precision_;
  std::size_t piece_bytes_;
  std::uint64_t done_ = 0;
  bool begun_ = false;
};

/// Pieces of files that are a row of bytes.
inline constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

/// "writing a.vti": the stage in which a file is written.
std::string writing_stage(const std::string& path);

/// Bytes of one slice.
std::size_t slice_bytes(const Grid& grid, Precision precision);

}  // namespace skde::io
