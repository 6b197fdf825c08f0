#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "io/points/columns/carried_rows.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/columns/point_reader.hpp"

namespace skde::io {

/// Reads chunks of a file that holds columns, one column after another.
class ColumnReader : public PointReader {
 public:
  bool read(Samples& chunk, std::size_t most) final {
    first_of_chunk_ = done_;
    carried_.clear();
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>({most, most_, end_ - done_}));
    const std::size_t first_width = weighted_ ? 4 : 3;
    chunk.xyz.resize(3 * count);
    chunk.weights.resize(weighted_ ? count : 0);
    chunk.bandwidth_factors.resize(widths_ * count);
    for (std::size_t i = 0; count > 0 && i < first_width + widths_; ++i)
      if (i < 3)
        read_column(i, count, chunk.xyz.data() + i, 3);
      else if (i < first_width)
        read_column(i, count, chunk.weights.data(), 1);
      else
        read_column(i, count, chunk.bandwidth_factors.data() + (i - first_width), widths_);
    done_ += count;
    std::ranges::sort(carried_.rests);
    return count > 0;
  }
  std::string place_of(std::size_t row) const final {
    return fmt::format("row {}", first_of_chunk_ + row + 1);
  }
  std::optional<std::uint64_t> expected_rows() const final { return end_ - begin_; }
  std::size_t width_columns() const final { return widths_; }
  const CarriedRows* carried() const final { return &carried_; }

 protected:
  /// At most `most` rows are read at a time.
  explicit ColumnReader(const SelectedColumns& selected,
                        std::size_t most = std::numeric_limits<std::size_t>::max())
      : weighted_(selected.weight), widths_(selected.widths.size()), most_(most) {}

  /// Sets the rows to read, from the first one to that before `end`.
  void set_rows(std::uint64_t first, std::uint64_t end) {
    done_ = begin_ = first;
    end_ = end;
  }
  /// Writes `count` values of column `i` of SelectedColumns::read(), from row done() on, to to[0],
  /// to[step] and so on.
  virtual void read_column(std::size_t i, std::size_t count, double* to, std::size_t step) = 0;
  std::uint64_t done() const { return done_; }

  CarriedRows carried_;

 private:
  bool weighted_;
  std::size_t widths_, most_;
  std::uint64_t begin_ = 0, end_ = 0, done_ = 0, first_of_chunk_ = 0;
};

/// Reads points x, y, z from doubles in memory, of the file `name`; for formats that cannot be read
/// from front to end. The columns are named x, y and z.
std::unique_ptr<PointReader> read_kept_points(const std::string& name, std::string xyz,
                                              const ColumnSelection& wanted);

/// Reads rows of doubles in memory: the selected x, y, z, the weight, if there is one, and
/// bandwidths.
std::unique_ptr<PointReader> read_kept_rows(const std::string& name, std::string rows,
                                            const SelectedColumns& selected);

}  // namespace skde::io
