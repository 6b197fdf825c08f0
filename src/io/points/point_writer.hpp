#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/cloud/samples.hpp"

namespace skde::io {

/// Writes rows chunk by chunk as PLY (binary, little endian, double), NPY (N, columns), CSV with a
/// header, or XYZ rows, by the extension of the path. The file appears whole at finish(), or not
/// at all.
class PointWriter {
 public:
  /// `samples` is how many rows will be written; in PLY columns are named by letters, digits and
  /// underscores. Throws Error(usage) where the extension is none of these, Error(output) where the
  /// file cannot be made, or the disk has no room for it.
  PointWriter(const std::string& path, std::uint64_t samples,
              const std::vector<std::string>& columns = {"x", "y", "z"});
  ~PointWriter();
  PointWriter(const PointWriter&) = delete;
  PointWriter& operator=(const PointWriter&) = delete;

  /// Appends the samples of a chunk; their weights are not written. Error(output) where the disk
  /// is full.
  void write(const SamplesView& points) { write(points.xyz); }
  /// Appends rows, a double a column; what is not finite is nan or inf in a text.
  void write(std::span<const double> rows);
  /// Puts the file in place. std::logic_error where fewer or more samples were written than
  /// announced.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Error(usage) where the extension is none of those that points are written as.
void require_point_extension(const std::string& path);
/// ".ply, .npy, .csv, .xyz"
std::string point_writer_extensions();

}  // namespace skde::io
