#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skde::io {

/// Category names, numbered in order of appearance, with the number of rows of each.
class CategoryNames {
 public:
  /// Returns the number of a category, and counts a row of it. An empty text is named "(empty)",
  /// and 3.0, as some programs write 3, is "3".
  std::uint32_t of(std::string_view text);
  /// The same for a number, which is named as it is written: 3 is "3".
  std::uint32_t of(double number);

  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t category) const { return names_[category]; }
  std::uint64_t rows(std::size_t category) const { return rows_[category]; }
  std::uint64_t rows() const;
  /// The most frequent categories with their row counts: "'a' (120), 'b' (7), ...".
  std::string commonest() const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::uint32_t add(std::string_view text);

  std::vector<std::string> names_;
  std::vector<std::uint64_t> rows_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> by_text_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_number_;  // keyed by the bits of the number
};

}  // namespace skde::io
