#include "io/points/clouds/pcd_header.hpp"

#include <fmt/core.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "core/report/error.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

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

}  // namespace

PcdHeader read_pcd_header(BufferedSource& source) { return PcdHeaderParser(source).parse(); }

}  // namespace skde::io
