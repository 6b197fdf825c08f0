#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/volumes/volume_writer.hpp"

namespace skde::io {

/// Common base of the writers of all formats. It checks and counts slices, reports progress, and
/// passes them to the format as pieces of bytes. The work can be cancelled after each piece.
class SliceWriter : public VolumeWriter {
 public:
  void write(ValueSpan slices, Progress& progress) final;
  void finish(const DensityMetadata& metadata, Progress& progress) final;

 protected:
  /// `stage` names what write() does. The pieces of a write() begin at its first slice; each has
  /// `piece_bytes` bytes, but the last may be shorter.
  SliceWriter(std::string stage, const Grid& grid, Precision precision, std::size_t piece_bytes);

  const Grid& grid() const { return grid_; }
  Precision precision() const { return precision_; }
  /// Bytes of all values.
  std::uint64_t total_bytes() const;
  /// Bytes of the values before the piece that append() is given.
  std::uint64_t bytes_before() const { return done_; }

 private:
  /// Called before the pieces of a write() with all of them.
  virtual void expect(ValueSpan) {}
  virtual void append(std::string_view piece) = 0;
  /// Called after all values were appended.
  virtual void complete(const DensityMetadata& metadata, Progress& progress) = 0;

  std::string stage_;
  Grid grid_;
  Precision precision_;
  std::size_t piece_bytes_;
  std::uint64_t done_ = 0;
  bool begun_ = false;
};

/// Size of the pieces for files that are written as plain bytes.
inline constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

/// Returns "writing a.vti": the stage in which a file is written.
std::string writing_stage(const std::string& path);

/// Bytes of one slice.
std::size_t slice_bytes(const Grid& grid, Precision precision);

}  // namespace skde::io
