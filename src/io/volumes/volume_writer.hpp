#pragma once

#include "core/density_metadata.hpp"
#include "core/report/progress.hpp"
#include "core/volume.hpp"

namespace skde::io {

/// A volume file that is written slice by slice, and appears whole at finish() or not at all: a
/// writer that is destroyed before leaves nothing behind, and an older file of that name as it was.
/// That is also all that can be done with one that threw an Error. Made by VolumeFormat::open.
class VolumeWriter {
 public:
  virtual ~VolumeWriter() = default;

  /// Appends whole slices of the type that was announced, as many as there are, from z = 0 upwards.
  /// All calls together are one stage of `progress`, which counts the bytes of the values; the
  /// first call begins it. Error(output), Error(cancelled); std::logic_error where the values are
  /// not whole slices of that type, or more than the grid has.
  virtual void write(ValueSpan slices, Progress& progress) = 0;

  /// Completes the file with what is known by now, and puts it in place; the last call. Formats
  /// that pack first and write then do the latter here, as a stage of its own. Error(output),
  /// Error(cancelled); std::logic_error where slices are missing.
  virtual void finish(const DensityMetadata& metadata, Progress& progress) = 0;
  void finish(const DensityMetadata& metadata) {
    NoProgress silent;
    finish(metadata, silent);
  }
};

}  // namespace skde::io
