#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/columns/point_reader.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/points/readers/record_reader.hpp"
#include "io/points/readers/text_rows.hpp"
#include "io/text/text_fields.hpp"
#include "io/values/scalar_type.hpp"

namespace skde::io {
namespace {

/// A field of a point, with `count` values of `type`.
struct PcdField {
  std::string name;
  ScalarType type = ScalarType::f32;
  std::uint64_t count = 1;

  /// Returns false for padding ("_") and for fields that do not have exactly one value.
  bool is_column() const { return name != "_" && count == 1; }
};

struct PcdHeader {
  std::vector<PcdField> fields;
  std::uint64_t points = 0;
  bool binary = false;
  bool compressed = false;  ///< one packed piece, stored field by field
  std::uint64_t lines = 0;
};

using HeaderWords = std::vector<std::string_view>;

constexpr std::size_t kMostPcdFields = 4096;
constexpr std::uint64_t kMostValues = std::uint64_t{1} << 20;  // in a point

std::optional<ScalarType> scalar_type_of(char type, std::uint64_t size) {
  const bool is_signed = type == 'I';
  if (type == 'F') {
    if (size == 4) return ScalarType::f32;
    if (size == 8) return ScalarType::f64;
    return std::nullopt;
  }
  if (!is_signed && type != 'U') return std::nullopt;
  switch (size) {
    case 1:
      return is_signed ? ScalarType::i8 : ScalarType::u8;
    case 2:
      return is_signed ? ScalarType::i16 : ScalarType::u16;
    case 4:
      return is_signed ? ScalarType::i32 : ScalarType::u32;
    case 8:
      return is_signed ? ScalarType::i64 : ScalarType::u64;
    default:
      return std::nullopt;
  }
}

/// Reads a header up to and including the line DATA. Throws Error(input) with the line's number if
/// it is broken, or if its parts contradict each other.
class PcdHeaderParser {
 public:
  explicit PcdHeaderParser(BufferedSource& source) : source_(source) {}

  PcdHeader parse() {
    bool data_follow = false;
    while (!data_follow) {
      const auto line = source_.line();
      ++header_.lines;
      if (!line) throw broken("the file ends inside the header");
      const std::string_view text = trimmed(*line);
      if (text.empty() || text.starts_with('#')) continue;
      const HeaderWords words = split_words(text);
      data_follow = words[0] == "DATA";
      parse_line(words);
    }
    build_fields();
    settle_points();
    return std::move(header_);
  }

 private:
  Error broken(std::string_view what) const {
    return Error(ErrorKind::input,
                 fmt::format("{}: line {}: {}; the file is broken or not a PCD file",
                             source_.name(), header_.lines, what));
  }

  void parse_line(const HeaderWords& words) {
    const std::string_view key = words[0];
    if (key == "FIELDS" || key == "COLUMNS") {
      names_.assign(words.begin() + 1, words.end());
      if (names_.size() > kMostPcdFields)
        throw broken(fmt::format("more than {} fields", kMostPcdFields));
    } else if (key == "SIZE") {
      sizes_ = numbers(words);
    } else if (key == "TYPE") {
      types_.assign(words.begin() + 1, words.end());
    } else if (key == "COUNT") {
      counts_ = numbers(words);
    } else if (key == "WIDTH") {
      width_ = number(words);
    } else if (key == "HEIGHT") {
      height_ = number(words);
    } else if (key == "POINTS") {
      points_ = number(words);
    } else if (key == "DATA") {
      parse_data(words);
    } else if (key != "VERSION" && key != "VIEWPOINT") {
      throw broken(fmt::format("unknown word {} in the header", excerpt(key)));
    }
  }

  void parse_data(const HeaderWords& words) {
    const std::string_view kind = words.size() > 1 ? words[1] : std::string_view{};
    header_.compressed = kind == "binary_compressed";
    if (kind != "ascii" && kind != "binary" && !header_.compressed)
      throw broken(
          fmt::format("DATA must be ascii, binary or binary_compressed; got {}", excerpt(kind)));
    header_.binary = kind == "binary";
  }

  std::uint64_t whole(std::string_view word) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size())
      throw broken(fmt::format("must be an integer of 64 bits; got {}", excerpt(word)));
    return value;
  }

  std::uint64_t number(const HeaderWords& words) const {
    if (words.size() != 2) throw broken(fmt::format("{} takes one number", excerpt(words[0])));
    return whole(words[1]);
  }

  std::vector<std::uint64_t> numbers(const HeaderWords& words) const {
    std::vector<std::uint64_t> values;
    for (std::size_t i = 1; i < words.size(); ++i) values.push_back(whole(words[i]));
    return values;
  }

  void build_fields() {
    if (names_.empty()) throw broken("the header has no FIELDS line");
    if (counts_.empty()) counts_.assign(names_.size(), 1);
    if (sizes_.size() != names_.size() || types_.size() != names_.size() ||
        counts_.size() != names_.size())
      throw broken(fmt::format("FIELDS, SIZE, TYPE and COUNT declare {}, {}, {} and {} fields",
                               names_.size(), sizes_.size(), types_.size(), counts_.size()));
    std::uint64_t values = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto type =
          types_[i].size() == 1 ? scalar_type_of(types_[i][0], sizes_[i]) : std::nullopt;
      if (!type)
        throw broken(fmt::format("unknown type of field {}: TYPE {}, SIZE {}", excerpt(names_[i]),
                                 excerpt(types_[i]), sizes_[i]));
      if (counts_[i] > kMostValues || (values += counts_[i]) > kMostValues)
        throw broken(fmt::format("a point has more than {} values", kMostValues));
      header_.fields.push_back({names_[i], *type, counts_[i]});
    }
  }

  void settle_points() {
    if (width_ && height_) {
      std::uint64_t product = 0;
      if (__builtin_mul_overflow(*width_, *height_, &product))
        throw broken("WIDTH times HEIGHT does not fit into 64 bits");
      if (points_ && *points_ != product)
        throw broken(fmt::format("POINTS is {}, but WIDTH times HEIGHT is {}", *points_, product));
      points_ = product;
    }
    if (!points_) throw broken("the header has no POINTS line");
    header_.points = *points_;
  }

  BufferedSource& source_;
  PcdHeader header_;
  std::vector<std::string> names_, types_;
  std::vector<std::uint64_t> sizes_, counts_;
  std::optional<std::uint64_t> width_, height_, points_;
};

// LZF: a back reference of 3 bytes yields at most 264 bytes.
constexpr std::uint64_t kMostPackedGain = 88;

[[noreturn]] void refuse_packed(const BufferedSource& source, std::string_view why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}; the file is broken", source.name(), why),
              {{}, "fetch it again"});
}

/// Unpacks LZF: literal runs of bytes, and copies of earlier bytes. Returns false if the data are
/// broken or do not yield `whole` bytes.
bool unpack_lzf(std::string_view packed, std::size_t whole, std::string& bytes) {
  constexpr std::size_t kLiteral = 32, kLongCopy = 7;
  bytes.clear();
  bytes.reserve(whole);
  std::size_t at = 0;
  const auto next = [&] {
    return static_cast<std::size_t>(static_cast<unsigned char>(packed[at++]));
  };
  while (at < packed.size()) {
    const std::size_t control = next();
    if (control < kLiteral) {
      const std::size_t count = control + 1;
      if (count > packed.size() - at || count > whole - bytes.size()) return false;
      bytes.append(packed, at, count);
      at += count;
      continue;
    }
    std::size_t count = control >> 5;
    if (count == kLongCopy) {
      if (at == packed.size()) return false;
      count += next();
    }
    if (at == packed.size()) return false;
    count += 2;
    const std::size_t back = ((control & 0x1f) << 8) + next() + 1;
    if (back > bytes.size() || count > whole - bytes.size()) return false;
    for (std::size_t i = 0; i < count; ++i) bytes += bytes[bytes.size() - back];
  }
  return bytes.size() == whole;
}

/// Transposes the selected fields from columns that follow one another to records of these fields
/// alone; the layout becomes that of the records.
std::string records_of(const std::string& columns, std::uint64_t rows, RecordLayout& layout) {
  struct Block {
    const char* from;
    std::size_t bytes, to;
  };
  std::vector<Block> blocks;
  std::size_t stride = 0;
  const auto take = [&](RecordField& field) {
    blocks.push_back({columns.data() + rows * field.offset, size_of(field.type), stride});
    field.offset = stride;
    stride += size_of(field.type);
  };
  std::ranges::for_each(layout.xyz, take);
  if (layout.weight) take(*layout.weight);
  std::ranges::for_each(layout.widths, take);
  layout.stride = stride;
  std::string records(rows * stride, '\0');
  for (const Block& block : blocks)
    for (std::size_t row = 0; row < rows; ++row)
      std::memcpy(records.data() + row * stride + block.to, block.from + row * block.bytes,
                  block.bytes);
  return records;
}

/// Reads `rows` records that are stored field by field and packed by LZF in one piece, as in PCD:
/// its packed and its unpacked size, 32 bits each, then the bytes. Unpacks all of it at once.
/// Throws Error(input) if the sizes do not fit the records, or the piece is broken or cut short.
std::unique_ptr<PointReader> read_packed_columns(BufferedSource source, RecordLayout layout,
                                                 std::uint64_t rows) {
  const std::string sizes = read_next(source, 8);
  if (sizes.size() < 8) refuse_packed(source, "the sizes of the compressed points are truncated");
  const std::uint64_t packed_bytes = little_endian(sizes, 0, 4), whole = little_endian(sizes, 4, 4);
  std::uint64_t promised = 0;
  if (__builtin_mul_overflow(rows, std::uint64_t{layout.stride}, &promised) || promised != whole)
    refuse_packed(source,
                  fmt::format("{} points of {} bytes differ from the {} bytes that are compressed",
                              rows, layout.stride, whole));
  if (whole > kMostPackedGain * packed_bytes)
    refuse_packed(source,
                  fmt::format("{} bytes cannot be compressed into {}", whole, packed_bytes));
  const std::string packed = read_next(source, packed_bytes);
  if (packed.size() < packed_bytes) refuse_packed(source, "the compressed points are truncated");
  std::string bytes;
  if (!unpack_lzf(packed, static_cast<std::size_t>(whole), bytes))
    refuse_packed(source, "the compressed points are invalid");
  if (!source.peek(1).empty()) refuse_packed(source, "more bytes follow the compressed points");
  std::string records = records_of(bytes, rows, layout);
  return read_records(BufferedSource(kept_source(source.name(), std::move(records))), layout, rows,
                      Surplus::error);
}

/// Positions of the columns in a row: in values for text, in bytes for records.
struct PcdColumns {
  std::vector<std::size_t> values;
  std::vector<RecordField> records;
  std::vector<std::string> names;
  std::vector<std::string> left_out;
  std::size_t row_values = 0;
  std::size_t row_bytes = 0;
};

PcdColumns columns_of(const PcdHeader& header) {
  PcdColumns columns;
  for (const PcdField& field : header.fields) {
    if (field.is_column()) {
      columns.values.push_back(columns.row_values);
      columns.records.push_back({columns.row_bytes, field.type});
      columns.names.push_back(field.name);
    } else if (field.name != "_") {
      columns.left_out.push_back(fmt::format("{} ({} numbers a row)", field.name, field.count));
    }
    columns.row_values += static_cast<std::size_t>(field.count);
    columns.row_bytes += static_cast<std::size_t>(field.count) * size_of(field.type);
  }
  return columns;
}

RecordLayout record_layout(const PcdColumns& columns, const SelectedColumns& selected) {
  RecordLayout layout;
  layout.stride = columns.row_bytes;
  set_fields(
      selected, [&](std::size_t i) { return columns.records[i]; }, layout);
  return layout;
}

TextLayout text_layout(const PcdColumns& columns, const SelectedColumns& selected,
                       std::uint64_t points) {
  TextLayout layout;
  layout.columns = columns.row_values;
  layout.columns_from = "the header declares";
  layout.names.resize(columns.row_values);
  for (std::size_t i = 0; i < columns.values.size(); ++i)
    layout.names[columns.values[i]] = columns.names[i];
  layout.selected = selected.among(columns.values);
  layout.selected.keeps_lines = false;
  layout.rows = points;
  return layout;
}

}  // namespace

std::unique_ptr<PointReader> open_pcd(BufferedSource source, const ColumnSelection& wanted) {
  const PcdHeader header = PcdHeaderParser(source).parse();
  const PcdColumns columns = columns_of(header);
  FileColumns described{source.name(), columns.names,
                        std::vector<bool>(columns.names.size(), true)};
  described.left_out = columns.left_out;
  const SelectedColumns selected = select_columns(wanted, described);
  std::unique_ptr<PointReader> reader;
  if (header.compressed) {
    reader =
        read_packed_columns(std::move(source), record_layout(columns, selected), header.points);
  } else if (header.binary) {
    reader = read_records(std::move(source), record_layout(columns, selected), header.points,
                          Surplus::error);
  } else {
    check_promise(source, header.points, 2 * columns.row_values - 1, "points");
    reader = read_text_rows(std::move(source), text_layout(columns, selected, header.points),
                            header.lines);
  }
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace skde::io
