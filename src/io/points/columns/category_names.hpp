#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skde::io {

/// Categories by their names, numbered as they come, and how often each came.
class CategoryNames {
 public:
  /// The number of a category; that of an empty text is "(empty)".
  std::uint32_t of(std::string_view text);
  /// The same of a number, which is named as it is written: 3 is "3".
  std::uint32_t of(double number);

  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t category) const { return names_[category]; }
  std::uint64_t rows(std::size_t category) const { return rows_[category]; }
  std::uint64_t rows() const;
  /// "'a' (120), 'b' (7), ...": the commonest ones with their rows.
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
  std::unordered_map<std::uint64_t, std::uint32_t> by_number_;  // by its bits
};

}  // namespace skde::io
