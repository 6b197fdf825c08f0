#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/report/words.hpp"

namespace skde::bench {

/// The items that are sorted. Pairs are 64-bit keys with 32-bit values, as codes along a curve with
/// the numbers of rows.
enum class SortedType { keys32, keys64, pairs };
inline constexpr Words<SortedType, 3> kSortedTypes{
    {{"keys32", SortedType::keys32}, {"keys64", SortedType::keys64}, {"pairs", SortedType::pairs}}};

enum class KeyPattern {
  uniform,  ///< random keys
  sorted,   ///< ascending already
  few       ///< 16 different keys from 0 to the largest, in random order
};
inline constexpr Words<KeyPattern, 3> kKeyPatterns{{{"uniform", KeyPattern::uniform},
                                                    {"sorted", KeyPattern::sorted},
                                                    {"few-distinct", KeyPattern::few}}};

struct SortCase {
  SortedType type = SortedType::keys32;
  KeyPattern pattern = KeyPattern::uniform;
  std::uint64_t count = 0;  ///< at most 2^32 - 1
  std::uint64_t seed = 1;
};

/// Keys, and for pairs the value of each.
struct SortItems {
  std::variant<std::vector<std::uint32_t>, std::vector<std::uint64_t>> keys{};
  std::vector<std::uint32_t> values{};  ///< none for keys alone

  std::uint64_t size() const;
};

/// Returns the bytes of an item.
int bytes_of(SortedType type);

/// Makes the items, the same for the same case. The values of pairs are 0, 1, 2, ...
SortItems make_sort_items(const SortCase& of);

/// Returns what is wrong with the result of sorting; empty if nothing is. Its keys must be in
/// ascending order. The value of a pair must lead to its key among the given ones, and each value
/// must be there once; values of equal keys must be in ascending order if the sort is `stable`.
/// Keys alone must have the number and the two sums of hashes that the given ones have, which other
/// keys have by a chance of about 2^-128.
std::string fault_of(const SortItems& given, const SortItems& sorted, bool stable);

}  // namespace skde::bench
