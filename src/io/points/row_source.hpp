#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace skde::io {

/// Rows of equal size in bytes, which any thread reads at any place.
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;
  virtual std::uint64_t rows() const = 0;
  virtual std::size_t row_bytes() const = 0;
  /// Copies `count` rows from row `first` (from 0) on. Throws Error(input) if reading fails.
  virtual void read(std::uint64_t first, std::size_t count, char* to) const = 0;
  /// Place of a row for messages: "cloud.npy: row 12" (from 1).
  virtual std::string place_of(std::uint64_t row) const = 0;
};

}  // namespace skde::io
