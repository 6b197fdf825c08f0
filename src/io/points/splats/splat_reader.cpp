#include <utility>

#include "io/points/readers/column_reader.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/points/splats/splat_columns.hpp"
#include "io/points/splats/splat_formats.hpp"

namespace skde::io {
namespace {

class SplatReader final : public ColumnReader {
 public:
  SplatReader(SplatCloud splats, const SelectedColumns& selected, std::uint64_t file_bytes)
      : ColumnReader(selected), splats_(std::move(splats)), file_bytes_(file_bytes) {
    const std::vector<SplatColumn> columns = splat_columns(splats_);
    for (const std::size_t column : selected.read()) columns_.push_back(columns[column]);
    set_rows(0, splats_.size());
  }

  std::uint64_t bytes_read() const override { return done() == 0 ? 0 : file_bytes_; }
  std::uint64_t bytes_total() const override { return file_bytes_; }

 private:
  void read_column(std::size_t i, std::size_t count, double* to, std::size_t step) override {
    for (std::size_t row = 0; row < count; ++row)
      to[step * row] = columns_[i].at(static_cast<std::size_t>(done()) + row);
  }

  SplatCloud splats_;
  std::vector<SplatColumn> columns_;
  std::uint64_t file_bytes_;
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
