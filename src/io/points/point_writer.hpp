#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/samples.hpp"

namespace skde::io {

/// Writes coordinates chunk by chunk as PLY (binary, little endian, double), NPY (N, 3), CSV with
/// a header, or XYZ rows, by the extension of the path. The file appears whole at finish(), or not
/// at all.
class PointWriter {
 public:
  /// `samples` is how many will be written. Throws Error(usage) where the extension is none of
  /// these, Error(output) where the file cannot be made.
  PointWriter(const std::string& path, std::uint64_t samples);
  ~PointWriter();
  PointWriter(const PointWriter&) = delete;
  PointWriter& operator=(const PointWriter&) = delete;

  /// Appends the samples of a chunk; their weights are not written. Error(output) where the disk
  /// is full.
  void write(const SamplesView& points);
  /// Puts the file in place. std::logic_error where fewer or more samples were written than
  /// announced.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// ".ply, .npy, .csv, .xyz"
std::string point_writer_extensions();

}  // namespace skde::io
