#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "core/space/space.hpp"
#include "io/points/readers/record_reader.hpp"
#include "io/points/record_files.hpp"

namespace skde {

/// By what rows are put in order.
enum class OrderBy : std::uint8_t { morton, hilbert, column };

/// The keys of rows, in whose ascending order rows are written. Along a curve, the key is the code
/// of the position (see curve_codes.hpp) in the smallest box of all rows, which has to be found
/// first. For a column it is the value, with all its bits. In reverse, all bits are inverted.
class RowKeys {
 public:
  /// The column is the last of layout.widths. `rows` must outlive this object.
  RowKeys(const io::RowSource& rows, const io::RecordLayout& layout, OrderBy by, bool reverse);

  /// True if look() has to see all rows before there are keys.
  bool looks_first() const { return by_ != OrderBy::column; }
  /// Finds the box of `count` rows from row `first` (from 0) on, which begin at `bytes`. May be
  /// called by any thread.
  void look(std::uint64_t first, std::size_t count, const char* bytes);
  /// Writes the keys of rows. May be called by any thread, once all rows have been looked at.
  void write(std::uint64_t first, const char* bytes, std::span<std::uint64_t> keys);
  /// Throws Error(input) that names the first row without a place in the order among those seen:
  /// a coordinate is not finite, or the value of the column is NaN.
  void require_places() const;
  /// The box of the rows that were looked at.
  const Box& box() const { return box_; }

 private:
  void note_bad(std::uint64_t row);
  void write_codes(const char* bytes, std::span<std::uint64_t> keys) const;
  void write_values(std::uint64_t first, const char* bytes, std::span<std::uint64_t> keys);

  const io::RowSource& rows_;
  io::RecordLayout layout_;
  OrderBy by_;
  std::uint64_t inverted_;
  std::mutex mutex_;  ///< guards box_ while rows are looked at
  Box box_;
  std::atomic<std::uint64_t> bad_row_;
};

}  // namespace skde
