#include "io/points/columns/filtered_reader.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "io/points/columns/carried_rows.hpp"
#include "io/points/columns/row_condition.hpp"

namespace skde::io {
namespace {

class FilteredReader final : public PointReader {
 public:
  FilteredReader(std::unique_ptr<PointReader> reader, const ColumnSelection& columns)
      : reader_(std::move(reader)),
        condition_(columns.where),
        compared_(condition_.columns().size()),
        behind_(columns.categorised() ? 1 : 0) {
    ReadColumns read = reader_->columns();
    read.where = columns.where;
    set_columns(std::move(read));
  }

  bool read(Samples& chunk, std::size_t most) override {
    left_out_ = 0;
    kept_.clear();
    carried_ = {};
    const bool any = reader_->read(chunk, most);
    if (const CarriedRows* const carried = reader_->carried()) carried_ = *carried;
    if (!any) return false;
    const std::size_t rows = chunk.size(), columns = reader_->width_columns();
    const std::size_t before = columns - behind_ - compared_;
    holds_.resize(rows);
    const std::size_t first = (chunk.weights.empty() ? 3 : 4) + before;
    condition_.evaluate(
        chunk.bandwidth_factors.data() + before, columns, holds_,
        [&](std::size_t row, std::size_t column) { return carried_.rest_of(row, first + column); });
    for (std::size_t row = 0; row < rows; ++row)
      if (holds_[row] != 0) kept_.push_back(row);
    left_out_ = rows - kept_.size();
    keep(chunk, before, columns);
    keep_carried(first);
    return true;
  }

  std::size_t left_out() const override { return left_out_; }
  std::string place_of(std::size_t row) const override {
    return reader_->place_of(row < kept_.size() ? kept_[row] : row);
  }
  /// The number of rows that are kept is unknown.
  std::optional<std::uint64_t> expected_rows() const override { return std::nullopt; }
  std::uint64_t bytes_read() const override { return reader_->bytes_read(); }
  std::uint64_t bytes_total() const override { return reader_->bytes_total(); }
  bool choose_part(std::uint64_t part, std::uint64_t parts) override {
    return reader_->choose_part(part, parts);
  }
  std::size_t width_columns() const override { return reader_->width_columns() - compared_; }
  const CategoryNames* category_texts() const override { return reader_->category_texts(); }
  const CarriedRows* carried() const override { return &carried_; }

 private:
  /// Moves the kept rows to the front, without the compared columns.
  void keep(Samples& chunk, std::size_t before, std::size_t columns) const {
    const std::size_t kept_columns = columns - compared_;
    const double* const widths = chunk.bandwidth_factors.data();
    for (std::size_t to = 0; to < kept_.size(); ++to) {
      const std::size_t from = kept_[to];
      std::copy_n(&chunk.xyz[3 * from], 3, &chunk.xyz[3 * to]);
      if (!chunk.weights.empty()) chunk.weights[to] = chunk.weights[from];
      double* const row = chunk.bandwidth_factors.data() + to * kept_columns;
      std::copy_n(widths + from * columns, before, row);
      std::copy_n(widths + (from + 1) * columns - behind_, behind_, row + before);
    }
    chunk.xyz.resize(3 * kept_.size());
    if (!chunk.weights.empty()) chunk.weights.resize(kept_.size());
    chunk.bandwidth_factors.resize(kept_columns * kept_.size());
  }

  /// Keeps the lines and the rests of the kept rows. The columns that are only compared begin at
  /// `first`.
  void keep_carried(std::size_t first) {
    for (std::size_t to = 0; to < kept_.size() && !carried_.lines.empty(); ++to)
      std::swap(carried_.lines[to], carried_.lines[kept_[to]]);
    carried_.lines.resize(std::min(kept_.size(), carried_.lines.size()));
    std::erase_if(carried_.rests, [&](CarriedRows::Rest& rest) {
      const auto found = std::ranges::lower_bound(kept_, rest.row);
      const bool compared = rest.column >= first && rest.column < first + compared_;
      if (compared || found == kept_.end() || *found != rest.row) return true;
      rest.row = static_cast<std::uint64_t>(found - kept_.begin());
      if (rest.column >= first) rest.column -= compared_;
      return false;
    });
  }

  std::unique_ptr<PointReader> reader_;
  RowCondition condition_;
  std::size_t compared_, behind_;  // columns of the condition; columns after them
  std::vector<std::uint8_t> holds_;
  std::vector<std::size_t> kept_;  // rows of the last chunk
  std::size_t left_out_ = 0;
  CarriedRows carried_;
};

}  // namespace

std::unique_ptr<PointReader> filtered_reader(std::unique_ptr<PointReader> reader,
                                             const ColumnSelection& columns) {
  return std::make_unique<FilteredReader>(std::move(reader), columns);
}

}  // namespace skde::io
