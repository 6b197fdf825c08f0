#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace skde {

/// The words that stand for the values of an enumeration, as flags and files have them.
template <class Value, std::size_t Count>
using Words = std::array<std::pair<std::string_view, Value>, Count>;

/// The first word of a value; empty where it has none.
template <class Value, std::size_t Count>
constexpr std::string_view word_of(const Words<Value, Count>& words, Value value) {
  for (const auto& [word, meaning] : words)
    if (meaning == value) return word;
  return {};
}

}  // namespace skde
