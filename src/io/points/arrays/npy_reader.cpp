#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/readers/column_reader.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/points/readers/record_reader.hpp"
#include "io/values/npy_header.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kBlockValues = std::size_t{1} << 14;

/// Reads column-major arrays. A seekable source is read in windows of each column; otherwise the
/// selected columns are kept in memory.
class FortranReader final : public ColumnReader {
 public:
  FortranReader(BufferedSource source, const NpyHeader& header, const SelectedColumns& selected)
      : ColumnReader(selected),
        source_(std::move(source)),
        rows_(header.shape[0]),
        width_(header.shape[1]),
        type_(header.type),
        big_endian_(header.big_endian),
        value_bytes_(size_of(header.type)),
        convert_(column_converter(header.type, header.big_endian)),
        first_byte_(source_.position()),
        columns_(selected.read()) {
    set_rows(0, rows_);
    if (!source_.seekable()) keep_columns();
    check_end();
  }

  bool choose_part(std::uint64_t part, std::uint64_t parts) override {
    const std::uint64_t first = first_of_part(rows_, part, parts);
    return choose_rows(first, first_of_part(rows_, part + 1, parts) - first);
  }
  bool choose_rows(std::uint64_t first, std::uint64_t count) override {
    if (!kept_.empty()) return false;
    set_rows(first, first + count);
    return true;
  }
  std::uint64_t bytes_read() const override { return first_byte_ + done() * width_ * value_bytes_; }
  std::uint64_t bytes_total() const override { return source_.size().value_or(0); }

 private:
  Error cut_short(std::uint64_t column) const {
    return Error(ErrorKind::input,
                 fmt::format("{}: column {} of {} rows is truncated: the file ends at byte {}",
                             source_.name(), column + 1, rows_, source_.position()),
                 {{}, "fetch it again"});
  }

  /// For sources that only go forward: keeps the bytes of the selected columns, which grow as they
  /// arrive.
  void keep_columns() {
    kept_.resize(columns_.size());
    for (std::uint64_t column = 0; column < width_; ++column) {
      const auto first = std::ranges::find(columns_, column);
      if (first == columns_.end()) {
        if (source_.skip(rows_ * value_bytes_) < rows_ * value_bytes_) throw cut_short(column);
        continue;
      }
      std::string& values = kept_[static_cast<std::size_t>(first - columns_.begin())];
      while (values.size() < rows_ * value_bytes_) append_values(values, column);
      for (std::size_t i = 0; i < columns_.size(); ++i)
        if (columns_[i] == column) kept_[i] = values;
    }
  }

  void append_values(std::string& values, std::uint64_t column) {
    const auto count = static_cast<std::size_t>(
        std::min<std::uint64_t>(kBlockValues * value_bytes_, rows_ * value_bytes_ - values.size()));
    const std::string_view bytes = source_.peek(count);
    if (bytes.size() < count) throw cut_short(column);
    values.append(bytes, 0, count);
    source_.skip(count);
  }

  void check_end() {
    if (source_.seekable()) {
      source_.seek(first_byte_ + rows_ * width_ * value_bytes_);
    }
    refuse_surplus(source_, rows_);
  }

  void read_column(std::size_t i, std::size_t count, double* to, std::size_t step) override {
    if (kept_.empty()) source_.seek(first_byte_ + (columns_[i] * rows_ + done()) * value_bytes_);
    for (std::size_t row = 0; row < count;) {
      const std::size_t block = std::min(kBlockValues, count - row);
      const std::string_view bytes =
          kept_.empty() ? source_.peek(block * value_bytes_)
                        : std::string_view(kept_[i]).substr((done() + row) * value_bytes_);
      if (bytes.size() < block * value_bytes_) throw cut_short(columns_[i]);
      convert_(bytes.data(), value_bytes_, block, to + row * step, step);
      carried_.note_all(type_, big_endian_, bytes.data(), value_bytes_, block, row, i);
      if (kept_.empty()) source_.skip(block * value_bytes_);
      row += block;
    }
  }

  BufferedSource source_;
  std::uint64_t rows_, width_;
  ScalarType type_;
  bool big_endian_;
  std::size_t value_bytes_;
  ColumnConverter convert_;
  std::uint64_t first_byte_;
  std::vector<std::uint64_t> columns_;  // x, y, z, the weight, if there is one, and bandwidths
  std::vector<std::string> kept_;       // their bytes, if the source only goes forward
};

void check_shape(const NpyHeader& header, const ColumnSelection& wanted, const std::string& file) {
  constexpr std::uint64_t kMostColumns = 4096;
  const auto& shape = header.shape;
  const bool lying = shape.size() == 2 && shape[0] == 3;
  if (lying && shape[1] > 3 && shape[1] <= kMostColumns) {
    if (!wanted.coordinates.empty()) return;
    throw Error(
        ErrorKind::input,
        fmt::format("{}: an array of shape (3, {}) is ambiguous: 3 samples, or x, y and z in rows",
                    file, shape[1]),
        {"columns", "save its transpose, or name three columns with `columns=1,2,3`"});
  }
  if (shape.size() == 2 && shape[1] >= 3 && shape[1] <= kMostColumns) return;
  throw Error(
      ErrorKind::input,
      fmt::format(
          "{}: an array of shape ({}) is not a point cloud, which has shape (N, 3) or wider, up to "
          "{} columns",
          file, fmt::join(shape, ", "), kMostColumns),
      {{}, lying ? "save its transpose" : "reshape it before saving"});
}

RecordLayout record_layout(const NpyHeader& header, const SelectedColumns& selected) {
  RecordLayout layout;
  layout.stride = static_cast<std::size_t>(header.shape[1]) * size_of(header.type);
  layout.big_endian = header.big_endian;
  set_fields(selected, header.type, layout);
  return layout;
}

/// Reads a structured array, record by record.
std::unique_ptr<PointReader> open_structured(BufferedSource source, const NpyHeader& header,
                                             const ColumnSelection& wanted) {
  std::uint64_t rows = 1;
  for (const std::uint64_t extent : header.shape)
    if (__builtin_mul_overflow(rows, extent, &rows))
      throw Error(ErrorKind::input,
                  fmt::format("{}: its shape is larger than any file", source.name()));
  FileColumns columns{source.name(), {}, std::vector<bool>(header.fields.size(), true)};
  for (const NpyField& field : header.fields) columns.names.push_back(field.name);
  columns.left_out = header.left_out;
  const SelectedColumns selected = select_columns(wanted, columns);
  RecordLayout layout;
  layout.stride = header.record_bytes;
  // A single byte has no byte order.
  for (const std::size_t column : selected.read())
    if (size_of(header.fields[column].type) > 1)
      layout.big_endian = header.fields[column].big_endian;
  const auto field_at = [&](std::size_t index) {
    const NpyField& field = header.fields[index];
    if (field.big_endian != layout.big_endian && size_of(field.type) > 1)
      throw Error(ErrorKind::input, fmt::format("{}: its fields mix byte orders", source.name()),
                  {{}, "save them in one byte order"});
    return RecordField{field.offset, field.type};
  };
  set_fields(selected, field_at, layout);
  auto reader = read_records(std::move(source), layout, rows, Surplus::error);
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace

std::unique_ptr<PointReader> open_npy(BufferedSource source, const ColumnSelection& columns) {
  const NpyHeader header = read_npy_header(source);
  if (header.is_structured()) return open_structured(std::move(source), header, columns);
  check_shape(header, columns, source.name());
  const auto width = static_cast<std::size_t>(header.shape[1]);
  const SelectedColumns selected = select_columns(
      columns, {source.name(), std::vector<std::string>(width), std::vector<bool>(width, true)});
  std::unique_ptr<PointReader> reader;
  if (header.fortran_order) {
    check_promise(source, header.shape[0], width * size_of(header.type), "rows");
    reader = std::make_unique<FortranReader>(std::move(source), header, selected);
  } else {
    reader = read_records(std::move(source), record_layout(header, selected), header.shape[0],
                          Surplus::error);
  }
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace skde::io
