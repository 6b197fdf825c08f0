#include "io/points/readers/record_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/columns/carried_rows.hpp"

namespace skde::io {
namespace {

/// Bytes that are converted at a time, small enough to stay in a core's cache.
constexpr std::size_t kRecordBlockBytes = std::size_t{1} << 17;
constexpr std::size_t kLargestRecord = std::size_t{1} << 20;

void apply_scale(const RecordField& field, double* values, std::size_t count, std::size_t step) {
  if (field.bits > 0) {
    const std::uint64_t mask = (std::uint64_t{1} << field.bits) - 1;
    for (std::size_t i = 0; i < count; ++i)
      values[i * step] = static_cast<double>(
          static_cast<std::uint64_t>(values[i * step]) >> field.first_bit & mask);
  }
  if (field.none)
    for (std::size_t i = 0; i < count; ++i)
      if (values[i * step] == *field.none)
        values[i * step] = std::numeric_limits<double>::quiet_NaN();
  if (!field.is_scaled()) return;
  for (std::size_t i = 0; i < count; ++i)
    values[i * step] = field.scale * values[i * step] + field.shift;
}

class RecordReader final : public PointReader {
 public:
  RecordReader(BufferedSource source, const RecordLayout& layout, std::uint64_t rows,
               Surplus surplus)
      : source_(std::move(source)),
        records_{layout, rows, source_.position()},
        end_(rows),
        surplus_(surplus) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      convert_[axis] = column_converter(layout.xyz[axis].type, layout.big_endian);
    if (layout.weight) convert_weight_ = column_converter(layout.weight->type, layout.big_endian);
    for (const RecordField& field : layout.widths)
      convert_widths_.push_back(column_converter(field.type, layout.big_endian));
    fields_.assign(layout.xyz.begin(), layout.xyz.end());
    if (layout.weight) fields_.push_back(*layout.weight);
    fields_.insert(fields_.end(), layout.widths.begin(), layout.widths.end());
    packed_doubles_ = is_packed_doubles();
  }

  bool read(Samples& chunk, std::size_t most) override {
    carried_.clear();
    first_of_chunk_ = done_;
    std::size_t have = 0;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(most, end_ - done_));
    while (have < wanted) have += read_block(chunk, have, wanted - have);
    chunk.xyz.resize(3 * have);
    chunk.weights.resize(layout_.weight ? have : 0);
    chunk.bandwidth_factors.resize(have * layout_.widths.size());
    std::ranges::sort(carried_.rests);
    require_end();
    return have > 0;
  }

  std::optional<std::uint64_t> bare_rows() const override {
    return layout_.weight || !layout_.widths.empty() ? std::nullopt : std::optional(rows_);
  }

  std::size_t read_bare(std::span<double> xyz) override {
    first_of_chunk_ = done_;
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(xyz.size() / 3, end_ - done_));
    std::size_t have = 0;
    while (have < wanted) {
      double* const to = xyz.data() + 3 * have;
      have += packed_doubles_ ? read_packed(to, wanted - have) : convert_block(to, wanted - have);
    }
    require_end();
    return have;
  }

  std::string place_of(std::size_t row) const override {
    return fmt::format("row {}", first_of_chunk_ + row + 1);
  }
  std::optional<std::uint64_t> expected_rows() const override { return end_ - begin_; }
  const RecordRows* record_rows() const override {
    return source_.seekable() ? &records_ : nullptr;
  }
  std::uint64_t bytes_read() const override { return source_.position(); }
  std::uint64_t bytes_total() const override { return source_.size().value_or(0); }
  std::size_t width_columns() const override { return layout_.widths.size(); }
  const CarriedRows* carried() const override { return &carried_; }

  bool choose_part(std::uint64_t part, std::uint64_t parts) override {
    const std::uint64_t first = first_of_part(rows_, part, parts);
    return choose_rows(first, first_of_part(rows_, part + 1, parts) - first);
  }

  bool choose_rows(std::uint64_t first, std::uint64_t count) override {
    if (!source_.seekable()) return false;
    done_ = begin_ = first;
    end_ = first + count;
    source_.seek(records_.first_byte + begin_ * layout_.stride);
    source_.read_ahead_until(records_.first_byte + end_ * layout_.stride);
    return true;
  }

 private:
  bool is_packed_doubles() const {
    bool packed = layout_.stride == 3 * sizeof(double) &&
                  convert_[0] == column_converter(ScalarType::f64, false);
    for (std::size_t axis = 0; axis < 3; ++axis)
      packed = packed && layout_.xyz[axis].type == ScalarType::f64 &&
               layout_.xyz[axis].offset == axis * sizeof(double) && !layout_.xyz[axis].is_scaled();
    return packed;
  }

  void require_end() {
    if (done_ == rows_ && surplus_ != Surplus::ignore)
      refuse_surplus(source_, rows_, surplus_ == Surplus::error ? 1 : layout_.stride);
  }

  [[noreturn]] void fail_cut_short(std::uint64_t end) const {
    throw Error(ErrorKind::input,
                fmt::format("{}: row {} of {} is truncated: the file ends at byte {}",
                            source_.name(), done_ + 1, rows_, end),
                {{}, "fetch it again"});
  }

  void take(std::size_t rows) {
    source_.skip(rows * layout_.stride);
    done_ += rows;
  }

  /// Returns the bytes of up to `most` next rows, limited to what fits in a cache, without
  /// consuming them.
  std::string_view peek_block(std::size_t most) {
    const std::size_t block = std::max<std::size_t>(1, kRecordBlockBytes / layout_.stride);
    const std::string_view bytes = source_.peek(std::min(most, block) * layout_.stride);
    const std::size_t count = std::min({bytes.size() / layout_.stride, most, block});
    if (count == 0) fail_cut_short(source_.position() + bytes.size());
    return bytes.substr(0, count * layout_.stride);
  }

  /// Reads rows that have the same layout in the file and in memory, bypassing the buffer.
  std::size_t read_packed(double* xyz, std::size_t most) {
    const std::size_t bytes = source_.read(reinterpret_cast<char*>(xyz), most * layout_.stride);
    done_ += bytes / layout_.stride;
    if (bytes < most * layout_.stride) fail_cut_short(source_.position());
    return most;
  }

  void convert_xyz(std::string_view bytes, double* xyz) const {
    const std::size_t count = bytes.size() / layout_.stride;
    if (packed_doubles_) {
      std::memcpy(xyz, bytes.data(), bytes.size());
      return;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const RecordField& field = layout_.xyz[axis];
      convert_[axis](bytes.data() + field.offset, layout_.stride, count, xyz + axis, 3);
      apply_scale(field, xyz + axis, count, 3);
    }
  }

  /// Converts up to `most` rows of x, y and z alone.
  std::size_t convert_block(double* xyz, std::size_t most) {
    const std::string_view bytes = peek_block(most);
    const std::size_t count = bytes.size() / layout_.stride;
    convert_xyz(bytes, xyz);
    take(count);
    return count;
  }

  /// Appends up to `most` rows after the first `have` of `chunk`. The chunk grows as bytes arrive,
  /// not as the header promises.
  std::size_t read_block(Samples& chunk, std::size_t have, std::size_t most) {
    const std::string_view bytes = peek_block(most);
    const std::size_t count = bytes.size() / layout_.stride;
    if (chunk.xyz.size() < 3 * (have + count)) chunk.xyz.resize(3 * (have + count));
    convert_xyz(bytes, chunk.xyz.data() + 3 * have);
    if (layout_.weight) {
      if (chunk.weights.size() < have + count) chunk.weights.resize(have + count);
      convert_weight_(bytes.data() + layout_.weight->offset, layout_.stride, count,
                      chunk.weights.data() + have, 1);
      apply_scale(*layout_.weight, chunk.weights.data() + have, count, 1);
    }
    convert_widths(bytes.data(), count, chunk, have);
    note_rests(bytes.data(), count, have);
    take(count);
    return count;
  }

  void convert_widths(const char* bytes, std::size_t count, Samples& chunk, std::size_t have) {
    const std::size_t columns = layout_.widths.size();
    if (chunk.bandwidth_factors.size() < columns * (have + count))
      chunk.bandwidth_factors.resize(columns * (have + count));
    for (std::size_t i = 0; i < columns; ++i) {
      double* const to = chunk.bandwidth_factors.data() + columns * have + i;
      convert_widths_[i](bytes + layout_.widths[i].offset, layout_.stride, count, to, columns);
      apply_scale(layout_.widths[i], to, count, columns);
    }
  }

  void note_rests(const char* bytes, std::size_t count, std::size_t have) {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const RecordField& field = fields_[i];
      if (field.is_plain())
        carried_.note_all(field.type, layout_.big_endian, bytes + field.offset, layout_.stride,
                          count, have, i);
    }
  }

  BufferedSource source_;
  RecordRows records_;  // of the whole file
  const RecordLayout& layout_ = records_.layout;
  const std::uint64_t& rows_ = records_.rows;
  std::uint64_t begin_ = 0, end_;  // of the part
  Surplus surplus_;
  std::array<ColumnConverter, 3> convert_{};
  ColumnConverter convert_weight_ = nullptr;
  std::vector<ColumnConverter> convert_widths_;
  std::vector<RecordField> fields_;  // x, y, z, the weight, if there is one, and bandwidths
  bool packed_doubles_ = false;
  CarriedRows carried_;
  std::uint64_t done_ = 0;
  std::uint64_t first_of_chunk_ = 0;
};

}  // namespace

void convert_field(const RecordLayout& layout, const RecordField& field, const char* records,
                   std::size_t count, double* to, std::size_t to_step) {
  column_converter(field.type, layout.big_endian)(records + field.offset, layout.stride, count, to,
                                                  to_step);
  apply_scale(field, to, count, to_step);
}

std::unique_ptr<PointReader> read_records(BufferedSource source, const RecordLayout& layout,
                                          std::uint64_t rows, Surplus surplus) {
  if (layout.stride > kLargestRecord)
    throw Error(ErrorKind::input,
                fmt::format("{}: a row of {} bytes is larger than 1 MiB; the header is broken",
                            source.name(), layout.stride));
  check_promise(source, rows, layout.stride, "rows");
  return std::make_unique<RecordReader>(std::move(source), layout, rows, surplus);
}

void refuse_surplus(BufferedSource& source, std::uint64_t rows, std::size_t bytes) {
  if (source.peek(bytes).size() < bytes) return;
  throw Error(ErrorKind::input,
              fmt::format("{}: byte {}: bytes follow the {} rows that the header declares; the "
                          "header is wrong or the file holds several clouds",
                          source.name(), source.position(), rows));
}

}  // namespace skde::io
