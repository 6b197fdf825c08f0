#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/report/progress.hpp"
#include "core/space/volume.hpp"

namespace skde::io {

/// How an array stores the values of a volume: as they are, or as half floats or 8 bits, each times
/// a scale.
enum class ArrayValues { wide, half, byte };

/// Where an array of values goes instead of a file.
class ArrayStream {
 public:
  virtual ~ArrayStream() = default;
  /// Called before the first bytes with their number and the description of the values, as JSON.
  virtual void begin(const std::string& description, std::uint64_t bytes) = 0;
  virtual void write(std::string_view bytes) = 0;
  /// Called after the last ones, with the final description.
  virtual void finish(const std::string& description) = 0;
};

/// A volume file that is written slice by slice, and appears complete at finish() or not at all. A
/// writer that is destroyed before that leaves nothing behind, and an older file of that name
/// unchanged. A writer that threw an Error can only be destroyed. Created by VolumeFormat::open.
class VolumeWriter {
 public:
  virtual ~VolumeWriter() = default;

  /// Appends any number of whole slices of the announced type, from z = 0 upwards. All calls
  /// together are one stage of `progress`, which counts the bytes of the values; the first call
  /// begins it. Throws Error(output) or Error(cancelled); std::logic_error if the values are not
  /// whole slices of that type, or more than the grid has.
  virtual void write(ValueSpan slices, Progress& progress) = 0;

  /// Completes the file with the final metadata and renames it into place; the last call. Formats
  /// that pack first and write afterwards write here, as a stage of its own. Throws Error(output)
  /// or Error(cancelled); std::logic_error if slices are missing.
  virtual void finish(const DensityMetadata& metadata, Progress& progress) = 0;
  void finish(const DensityMetadata& metadata) {
    NoProgress silent;
    finish(metadata, silent);
  }
};

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
