#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace skde {

/// The words for the values of an enumeration, as used in flags and files.
template <class Value, std::size_t Count>
using Words = std::array<std::pair<std::string_view, Value>, Count>;

/// Returns the first word of a value; empty if it has none.
template <class Value, std::size_t Count>
constexpr std::string_view word_of(const Words<Value, Count>& words, Value value) {
  for (const auto& [word, meaning] : words)
    if (meaning == value) return word;
  return {};
}

}  // namespace skde
