#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "io/points/readers/point_format_readers.hpp"
#include "io/points/splats/splat_columns.hpp"
#include "io/points/splats/splat_formats.hpp"

namespace skde::io {
namespace {

class SplatReader final : public PointReader {
 public:
  SplatReader(SplatCloud splats, const SelectedColumns& selected, std::uint64_t file_bytes)
      : splats_(std::move(splats)), file_bytes_(file_bytes) {
    const std::vector<SplatColumn> columns = splat_columns(splats_);
    for (std::size_t axis = 0; axis < 3; ++axis) xyz_.push_back(columns[selected.xyz[axis]]);
    if (selected.weight) weight_.push_back(columns[*selected.weight]);
    for (const std::size_t column : selected.widths) widths_.push_back(columns[column]);
  }

  bool read(Samples& chunk, std::size_t most) override {
    first_of_chunk_ = done_;
    const std::size_t count = std::min(most, splats_.size() - done_);
    fill(xyz_, count, chunk.xyz);
    fill(weight_, count, chunk.weights);
    fill(widths_, count, chunk.bandwidth_factors);
    done_ += count;
    return count > 0;
  }

  std::string place_of(std::size_t row) const override {
    return fmt::format("row {}", first_of_chunk_ + row + 1);
  }
  std::optional<std::uint64_t> expected_rows() const override { return splats_.size(); }
  std::uint64_t bytes_read() const override { return done_ == 0 ? 0 : file_bytes_; }
  std::uint64_t bytes_total() const override { return file_bytes_; }
  std::size_t width_columns() const override { return widths_.size(); }

 private:
  void fill(const std::vector<SplatColumn>& columns, std::size_t count,
            std::vector<double>& to) const {
    const std::size_t width = columns.size();
    to.resize(width * count);
    for (std::size_t column = 0; column < width; ++column)
      for (std::size_t i = 0; i < count; ++i)
        to[i * width + column] = columns[column].at(done_ + i);
  }

  SplatCloud splats_;
  std::vector<SplatColumn> xyz_, weight_, widths_;
  std::uint64_t file_bytes_;
  std::size_t done_ = 0, first_of_chunk_ = 0;
};

}  // namespace

std::unique_ptr<PointReader> open_splats(BufferedSource source, const ColumnSelection& wanted) {
  const std::string name = source.name();
  const std::uint64_t bytes = source.size().value_or(0);
  SplatCloud splats = read_splats(std::move(source), wanted.most_bytes);
  FileColumns columns{name, {}, {}};
  for (const SplatColumn& column : splat_columns(splats)) columns.names.push_back(column.name);
  columns.numeric.assign(columns.names.size(), true);
  SelectedColumns selected = select_columns(wanted, columns);
  describe_splats(wanted, columns.names, selected);
  if (std::string& remark = selected.described.remark; !splats.note.empty())
    remark += (remark.empty() ? "" : "; ") + splats.note;
  auto reader = std::make_unique<SplatReader>(std::move(splats), selected, bytes);
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace skde::io
