#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "core/report/field_text.hpp"
#include "core/report/words.hpp"

namespace skde {

// Parsers of values as people write them. type() describes the values that a parser accepts.

/// Parses one of a few words. Throws Error(usage) for others; the error names the nearest word.
template <class Value>
class OneOf {
 public:
  OneOf(std::initializer_list<std::pair<std::string_view, Value>> words) : words_(words) {}
  explicit OneOf(std::span<const std::pair<std::string_view, Value>> words)
      : words_(words.begin(), words.end()) {}

  Value operator()(const std::string& given) const {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : words_) {
      if (name == given) return value;
      names.push_back(name);
    }
    throw Error(ErrorKind::usage, "unknown value '" + given + "'",
                {{}, did_you_mean(given, names)});
  }
  ValueType type() const {
    ValueType type{.only_words = true};
    for (const auto& [name, value] : words_) type.words.emplace_back(name);
    return type;
  }

 private:
  std::vector<std::pair<std::string_view, Value>> words_;
};

/// Parses one of these names. Errors mention their kind ("engine").
class NameAmong {
 public:
  NameAmong(std::vector<std::string> known, std::string kind)
      : known_(std::move(known)), kind_(std::move(kind)) {}
  std::string operator()(const std::string& given) const;
  ValueType type() const { return {.words = known_, .only_words = true}; }

 private:
  std::vector<std::string> known_;
  std::string kind_;
};

/// Returns a parser of "a,b,c" that reads each entry with `parse`.
template <class Parse>
auto list_of(Parse parse) {
  return [parse](const std::string& given) {
    std::vector<decltype(parse(given))> values;
    for (std::size_t begin = 0, end = 0; end != given.npos; begin = end + 1) {
      end = given.find(',', begin);
      values.push_back(parse(given.substr(begin, end - begin)));
    }
    return values;
  };
}

/// Parses an integer between `least` and `most`, also written as 1e6. Throws Error(usage) for other
/// texts.
std::uint64_t parse_whole(const std::string& given, std::uint64_t least, std::uint64_t most);

/// The parser that calls parse_whole.
template <class Whole = std::uint64_t>
class WholeNumber {
 public:
  explicit WholeNumber(std::uint64_t least,
                       std::uint64_t most = std::numeric_limits<std::int64_t>::max())
      : least_(least), most_(most) {}
  Whole operator()(const std::string& given) const {
    return static_cast<Whole>(parse_whole(given, least_, most_));
  }
  ValueType type() const {
    return {ValueType::Kind::whole, static_cast<double>(least_), static_cast<double>(most_)};
  }

 private:
  std::uint64_t least_, most_;
};

/// Parses a finite number between `least` and `most`. Throws Error(usage) for other texts.
class RealNumber {
 public:
  explicit RealNumber(double least, double most = std::numeric_limits<double>::max())
      : least_(least), most_(most) {}
  double operator()(const std::string& given) const;
  ValueType type() const { return {ValueType::Kind::real, least_, most_}; }

 private:
  double least_, most_;
};

/// Parses bytes: "500M", "2G", "2g", "2GB", "2GiB", "1.5T" (all powers of 1024) or a bare number.
/// Throws Error(usage) if the text is not a size.
std::int64_t parse_bytes(const std::string& given);

}  // namespace skde
