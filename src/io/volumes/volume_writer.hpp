#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace skde::io
