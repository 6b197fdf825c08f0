#include "io/values/npy_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kLongestHeader = std::size_t{1} << 16;
constexpr std::size_t kMostDimensions = 32;

Error broken_header(const BufferedSource& source, std::string_view what) {
  return Error(ErrorKind::input,
               fmt::format("{}: {}; the file is broken or not an NPY file", source.name(), what));
}

/// Parses the Python literal {'descr': ..., 'fortran_order': ..., 'shape': ...}, entries in any
/// order.
class DictionaryParser {
 public:
  DictionaryParser(const BufferedSource& source, std::string_view text)
      : source_(source), text_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      parse_entry(key);
      if (!accept(',') && !at('}')) throw malformed();
    }
    if (!descr_ || !order_ || !shape_)
      throw broken_header(source_, "the NPY header lacks descr, fortran_order or shape");
    return std::move(header_);
  }

 private:
  Error malformed() const {
    return broken_header(
        source_, fmt::format("the NPY header cannot be read from character {} on", position_ + 1));
  }

  void skip_blanks() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n'))
      ++position_;
  }
  bool at(char c) {
    skip_blanks();
    return position_ < text_.size() && text_[position_] == c;
  }
  bool accept(char c) {
    const bool found = at(c);
    if (found) ++position_;
    return found;
  }
  void expect(char c) {
    if (!accept(c)) throw malformed();
  }

  std::string_view quoted() {
    const char quote = at('"') ? '"' : '\'';
    expect(quote);
    const std::size_t end = text_.find(quote, position_);
    if (end == std::string_view::npos) throw malformed();
    const std::string_view result = text_.substr(position_, end - position_);
    position_ = end + 1;
    return result;
  }

  bool accept_word(std::string_view word) {
    skip_blanks();
    const bool found = text_.substr(position_).starts_with(word);
    if (found) position_ += word.size();
    return found;
  }

  void parse_entry(std::string_view key) {
    if (key == "descr") {
      parse_descr();
    } else if (key == "fortran_order") {
      header_.fortran_order = accept_word("True");
      if (!header_.fortran_order && !accept_word("False")) throw malformed();
      order_ = true;
    } else if (key == "shape") {
      parse_shape();
    } else {
      throw broken_header(source_, fmt::format("unknown entry {} in the NPY header", excerpt(key)));
    }
  }

  void parse_descr() {
    descr_ = true;
    if (at('[')) return parse_records();
    const std::string_view descr = quoted();
    const std::optional<ScalarType> type = scalar_type_of(descr);
    if (!type) throw not_read(descr);
    header_.type = *type;
    header_.big_endian = descr[0] == '>';
  }

  Error not_read(std::string_view descr) const {
    return Error(
        ErrorKind::input,
        fmt::format("{}: values of type {} are not supported", source_.name(), excerpt(descr)),
        {{}, "save the array as float32 or float64"});
  }

  /// Parses [('x', '<f4'), ('name', 'S5'), ('position', '<f8', (3,))].
  void parse_records() {
    expect('[');
    while (!accept(']')) {
      expect('(');
      if (at('('))  // a title and a name
        throw broken_header(source_, "the NPY header has fields with titles");
      const std::string name(quoted());
      expect(',');
      if (at('['))
        throw Error(ErrorKind::input,
                    fmt::format("{}: field {} of its records is itself a record", source_.name(),
                                excerpt(name)),
                    {{}, "save its numbers as an array of shape (N, 3) or wider"});
      const std::string_view descr = quoted();
      std::vector<std::uint64_t> shape;
      if (accept(',') && !at(')')) shape = parse_extents();
      expect(')');
      add_field(name, descr, shape);
      if (!accept(',') && !at(']')) throw malformed();
    }
    if (header_.record_bytes == 0) throw broken_header(source_, "its records are empty");
  }

  void add_field(const std::string& name, std::string_view descr,
                 const std::vector<std::uint64_t>& shape) {
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20, kMostFields = 4096;
    const std::optional<ScalarType> type = scalar_type_of(descr);
    const std::optional<std::uint64_t> bytes = bytes_of_type(descr);
    if (!bytes) throw not_read(descr);
    if (!type && *bytes > 0 && !name.empty()) header_.left_out.push_back(name);
    std::uint64_t count = 1;
    for (const std::uint64_t extent : shape)
      if (__builtin_mul_overflow(count, extent, &count) || count > kMostBytes)
        throw broken_header(source_, "its records are larger than 1 MiB");
    for (std::uint64_t i = 0; type && i < count; ++i) {
      if (header_.fields.size() == kMostFields)
        throw broken_header(source_, "more than 4096 fields");
      header_.fields.push_back({shape.empty() ? name : fmt::format("{}:{}", name, i),
                                header_.record_bytes + static_cast<std::size_t>(i * *bytes), *type,
                                descr[0] == '>'});
    }
    if (*bytes > kMostBytes || header_.record_bytes + count * *bytes > kMostBytes)
      throw broken_header(source_, "its records are larger than 1 MiB");
    header_.record_bytes += static_cast<std::size_t>(count * *bytes);
  }

  static std::optional<ScalarType> scalar_type_of(std::string_view descr) {
    using Row = std::pair<std::string_view, ScalarType>;
    static constexpr std::array<Row, 11> kTypes{{{"i1", ScalarType::i8},
                                                 {"u1", ScalarType::u8},
                                                 {"i2", ScalarType::i16},
                                                 {"u2", ScalarType::u16},
                                                 {"i4", ScalarType::i32},
                                                 {"u4", ScalarType::u32},
                                                 {"i8", ScalarType::i64},
                                                 {"u8", ScalarType::u64},
                                                 {"f2", ScalarType::f16},
                                                 {"f4", ScalarType::f32},
                                                 {"f8", ScalarType::f64}}};
    if (descr.size() != 3 || std::string_view("<>=|").find(descr[0]) == std::string_view::npos)
      return std::nullopt;
    const auto* const row = std::ranges::find(kTypes, descr.substr(1), &Row::first);
    return row == kTypes.end() ? std::nullopt : std::optional(row->second);
  }

  /// Size in bytes of a value of any type but objects: '<f4', 'S5', '<U10', '|V8', '<M8[ns]'.
  static std::optional<std::uint64_t> bytes_of_type(std::string_view descr) {
    if (!descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos)
      descr.remove_prefix(1);
    if (descr.empty() || std::string_view("biufcSUVMma").find(descr[0]) == std::string_view::npos)
      return std::nullopt;
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(descr.data() + 1, descr.data() + descr.size(), bytes);
    if (error != std::errc{} || bytes > (std::uint64_t{1} << 20)) return std::nullopt;
    return descr[0] == 'U' ? 4 * bytes : bytes;
  }

  void parse_shape() {
    header_.shape = parse_extents();
    shape_ = true;
  }

  /// Parses "(3, 4)".
  std::vector<std::uint64_t> parse_extents() {
    std::vector<std::uint64_t> extents;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::uint64_t extent = 0;
      const char* const begin = text_.data() + position_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error != std::errc{} || extents.size() == kMostDimensions) throw malformed();
      position_ += static_cast<std::size_t>(end - begin);
      accept_word("L");  // suffix of long integers in Python 2
      extents.push_back(extent);
      if (!accept(',') && !at(')')) throw malformed();
    }
    return extents;
  }

  const BufferedSource& source_;
  std::string_view text_;
  std::size_t position_ = 0;
  NpyHeader header_;
  bool descr_ = false, order_ = false, shape_ = false;
};

}  // namespace

NpyHeader read_npy_header(BufferedSource& source) {
  std::array<unsigned char, 12> lead{};
  const std::size_t lead_size = kNpyMagic.size() + 2;
  if (!source.peek(kNpyMagic.size()).starts_with(kNpyMagic))
    throw broken_header(source, "its first bytes are not an NPY signature");
  if (source.read(reinterpret_cast<char*>(lead.data()), lead_size) < lead_size)
    throw broken_header(source, "the file ends inside the header");
  const unsigned version = lead[kNpyMagic.size()];
  if (version < 1 || version > 3)
    throw broken_header(source, fmt::format("NPY version {} is not supported", version));
  const std::size_t length_size = version == 1 ? 2 : 4;
  if (source.read(reinterpret_cast<char*>(lead.data()), length_size) < length_size)
    throw broken_header(source, "the file ends inside the header");
  std::size_t length = 0;
  for (std::size_t i = length_size; i-- > 0;) length = length << 8 | lead[i];
  if (length > kLongestHeader)
    throw broken_header(source, fmt::format("an NPY header of {} bytes is too long", length));
  const std::string text(source.peek(length).substr(0, length));
  if (source.skip(length) < length) throw broken_header(source, "the file ends inside the header");
  return DictionaryParser(source, text).parse();
}

std::string npy_header(std::string_view descr, const std::vector<std::int64_t>& shape) {
  // Python reads (5) as a number and (5,) as a tuple.
  std::string text = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}{}), }}",
                                 descr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kAlignment = 64;
  const std::size_t lead = kNpyMagic.size() + 4;  // the magic, then version and length of two bytes
                                                  // each
  while ((lead + text.size() + 1) % kAlignment != 0) text += ' ';
  text += '\n';
  std::string head(kNpyMagic);
  for (const std::size_t byte :
       {std::size_t{1}, std::size_t{0}, text.size() & 0xff, text.size() >> 8})
    head += static_cast<char>(byte);
  return head + text;
}

std::string npy_header(Precision precision, const std::vector<std::int64_t>& shape) {
  return npy_header(precision == Precision::f32 ? "'<f4'" : "'<f8'", shape);
}

std::string npy_records_header(std::uint64_t rows, std::span<const std::string_view> fields) {
  std::string descr;
  for (const std::string_view field : fields) descr += fmt::format("('{}', '<f8'), ", field);
  return npy_header('[' + descr + ']', {static_cast<std::int64_t>(rows)});
}

void write_npy(const std::string& path, std::span<const double> values,
               const std::vector<std::int64_t>& shape) {
  OutputFile file(path);
  file.write(npy_header(Precision::f64, shape));
  file.write(values.data(), values.size_bytes());
  file.commit();
}

}  // namespace skde::io
