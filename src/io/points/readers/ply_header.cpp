#include "io/points/readers/ply_header.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "core/report/error.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kMostProperties = 4096;

std::optional<ScalarType> scalar_type_named(std::string_view name) {
  using TypeRow = std::pair<std::string_view, ScalarType>;
  static constexpr std::array<TypeRow, 18> kNames{{
      {"char", ScalarType::i8},
      {"int8", ScalarType::i8},
      {"uchar", ScalarType::u8},
      {"uint8", ScalarType::u8},
      {"short", ScalarType::i16},
      {"int16", ScalarType::i16},
      {"ushort", ScalarType::u16},
      {"uint16", ScalarType::u16},
      {"int", ScalarType::i32},
      {"int32", ScalarType::i32},
      {"uint", ScalarType::u32},
      {"uint32", ScalarType::u32},
      {"int64", ScalarType::i64},
      {"uint64", ScalarType::u64},
      {"float", ScalarType::f32},
      {"float32", ScalarType::f32},
      {"double", ScalarType::f64},
      {"float64", ScalarType::f64},
  }};
  const auto* found = std::ranges::find(kNames, name, &TypeRow::first);
  if (found == kNames.end()) return std::nullopt;
  return found->second;
}

class PlyHeaderParser {
 public:
  explicit PlyHeaderParser(BufferedSource& source) : source_(source) {}

  PlyHeader parse() {
    if (next_line() != "ply") throw broken("a PLY file must begin with the line 'ply'");
    while (true) {
      const std::vector<std::string_view> words = split_words(next_line());
      if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
      if (words[0] == "end_header") break;
      if (words[0] == "format") {
        parse_format(words);
      } else if (words[0] == "element") {
        parse_element(words);
      } else if (words[0] == "property") {
        parse_property(words);
      } else {
        throw broken(fmt::format("unknown word {} in the header", excerpt(words[0])));
      }
    }
    if (!has_format_) throw broken("the header has no 'format' line");
    return std::move(header_);
  }

 private:
  std::string_view next_line() {
    const auto line = source_.line();
    ++header_.lines;
    if (!line) throw broken("the file ends inside the header");
    return trimmed(*line);
  }

  Error broken(std::string_view what) const {
    return Error(ErrorKind::input,
                 fmt::format("{}: line {}: {}; the file is broken or not a PLY file",
                             source_.name(), header_.lines, what));
  }

  void parse_format(const std::vector<std::string_view>& words) {
    const std::string_view name = words.size() > 1 ? words[1] : std::string_view{};
    if (name == "ascii") {
      header_.encoding = PlyEncoding::ascii;
    } else if (name == "binary_little_endian") {
      header_.encoding = PlyEncoding::little_endian;
    } else if (name == "binary_big_endian") {
      header_.encoding = PlyEncoding::big_endian;
    } else {
      throw broken(
          fmt::format("format must be ascii, binary_little_endian or binary_big_endian; got {}",
                      excerpt(name)));
    }
    has_format_ = true;
  }

  void parse_element(const std::vector<std::string_view>& words) {
    if (words.size() != 3) throw broken("'element' takes a name and a count");
    PlyElement element;
    element.name = words[1];
    const std::string_view count = words[2];
    const auto [end, error] =
        std::from_chars(count.data(), count.data() + count.size(), element.count);
    if (error != std::errc{} || end != count.data() + count.size())
      throw broken(fmt::format("the count {} of element {} must be an integer of 64 bits",
                               excerpt(count), excerpt(words[1])));
    header_.elements.push_back(std::move(element));
    count_entry();
  }

  void parse_property(const std::vector<std::string_view>& words) {
    if (header_.elements.empty()) throw broken("a property precedes the first element");
    PlyProperty property;
    property.list = words.size() == 5 && words[1] == "list";
    if (!property.list && words.size() != 3)
      throw broken("'property' takes a type and a name, or 'list', two types and a name");
    if (property.list) property.length_type = type_named(words[2]);
    if (property.length_type == ScalarType::f32 || property.length_type == ScalarType::f64)
      throw broken("the length of a list must have an integer type");
    property.type = type_named(words[words.size() - 2]);
    property.name = words.back();
    header_.elements.back().properties.push_back(std::move(property));
    count_entry();
  }

  ScalarType type_named(std::string_view name) const {
    const auto type = scalar_type_named(name);
    if (!type) throw broken(fmt::format("unknown property type {}", excerpt(name)));
    return *type;
  }

  void count_entry() {
    if (++entries_ > kMostProperties)
      throw broken(fmt::format("more than {} elements and properties", kMostProperties));
  }

  BufferedSource& source_;
  PlyHeader header_;
  bool has_format_ = false;
  std::size_t entries_ = 0;
};

}  // namespace

bool PlyElement::has_lists() const { return std::ranges::any_of(properties, &PlyProperty::list); }

std::size_t PlyElement::least_row_bytes(PlyEncoding encoding) const {
  // In text each value takes a digit and a blank or line end; a file's last line end may be
  // missing.
  if (encoding == PlyEncoding::ascii) return properties.empty() ? 0 : 2 * properties.size() - 1;
  std::size_t bytes = 0;
  for (const PlyProperty& property : properties)
    bytes += size_of(property.list ? property.length_type : property.type);
  return bytes;
}

PlyHeader read_ply_header(BufferedSource& source) { return PlyHeaderParser(source).parse(); }

}  // namespace skde::io
