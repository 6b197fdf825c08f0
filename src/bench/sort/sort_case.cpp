#include "bench/sort/sort_case.hpp"

#include <fmt/core.h>

#include <atomic>
#include <limits>
#include <numeric>
#include <span>

#include "core/cloud/counter_random.hpp"

namespace skde::bench {
namespace {

constexpr std::uint64_t kKeyStream = 111;  // random stream
constexpr std::uint64_t kDistinct = 16;

template <class Key>
Key key_at(const SortCase& of, const CounterRandom& random, std::uint64_t i) {
  constexpr Key kLargest = std::numeric_limits<Key>::max();
  const std::uint64_t word = random.at(i).word();
  if (of.pattern == KeyPattern::few)
    return static_cast<Key>(word % kDistinct * (kLargest / (kDistinct - 1)));
  if (of.pattern == KeyPattern::uniform) return static_cast<Key>(word);
  const std::uint64_t step = kLargest / of.count;
  return static_cast<Key>(i * step + word % step);
}

template <class Key>
std::vector<Key> keys_of(const SortCase& of) {
  const CounterRandom random(of.seed, kKeyStream);
  std::vector<Key> keys(of.count);
#pragma omp parallel for schedule(static)
  for (std::uint64_t i = 0; i < of.count; ++i) keys[i] = key_at<Key>(of, random, i);
  return keys;
}

/// Two sums of hashes of keys, which do not depend on their order.
struct HashSums {
  std::uint64_t first = 0, second = 0;
  bool operator==(const HashSums&) const = default;
};

template <class Key>
HashSums hash_sums(std::span<const Key> keys) {
  std::uint64_t first = 0, second = 0;
#pragma omp parallel for schedule(static) reduction(+ : first, second)
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t hash = Draws::mix(keys[i] + Draws::kStep);
    first += hash;
    second += Draws::mix(hash + Draws::kStep);
  }
  return {first, second};
}

template <class Key>
std::string order_fault(std::span<const Key> keys) {
  std::size_t descents = 0;
#pragma omp parallel for schedule(static) reduction(+ : descents)
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (keys[i] < keys[i - 1]) ++descents;
  return descents == 0 ? "" : fmt::format("{} keys are below the one before them", descents);
}

template <class Key>
std::string value_fault(std::span<const Key> given, std::span<const Key> keys,
                        std::span<const std::uint32_t> values, bool stable) {
  std::vector<unsigned char> seen(given.size());
  std::size_t wrong = 0, moved = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong, moved)
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t row = values[i];
    const bool right = row < given.size() && given[row] == keys[i] &&
                       std::atomic_ref<unsigned char>(seen[row]).exchange(1) == 0;
    if (!right) ++wrong;
    if (i > 0 && keys[i] == keys[i - 1] && values[i] < values[i - 1]) ++moved;
  }
  if (wrong > 0) return fmt::format("{} values are not those of their keys", wrong);
  if (stable && moved > 0) return fmt::format("{} values of equal keys changed places", moved);
  return "";
}

template <class Key>
std::string fault_among(const SortItems& given, const SortItems& sorted, bool stable) {
  const std::span<const Key> before = std::get<std::vector<Key>>(given.keys),
                             after = std::get<std::vector<Key>>(sorted.keys);
  if (after.size() != before.size() || sorted.values.size() != given.values.size())
    return fmt::format("{} of {} items are left", after.size(), before.size());
  if (std::string fault = order_fault(after); !fault.empty()) return fault;
  if (!given.values.empty()) return value_fault(before, after, {sorted.values}, stable);
  return hash_sums(before) == hash_sums(after) ? "" : "the keys are not those that were given";
}

}  // namespace

std::uint64_t SortItems::size() const {
  return std::visit([](const auto& all) { return all.size(); }, keys);
}

int bytes_of(SortedType type) {
  return type == SortedType::keys32 ? 4 : type == SortedType::keys64 ? 8 : 12;
}

SortItems make_sort_items(const SortCase& of) {
  SortItems items;
  if (of.type == SortedType::keys32)
    items.keys = keys_of<std::uint32_t>(of);
  else
    items.keys = keys_of<std::uint64_t>(of);
  if (of.type == SortedType::pairs) {
    items.values.resize(of.count);
    std::iota(items.values.begin(), items.values.end(), 0u);
  }
  return items;
}

std::string fault_of(const SortItems& given, const SortItems& sorted, bool stable) {
  if (given.keys.index() != sorted.keys.index()) return "the keys have another width";
  return given.keys.index() == 0 ? fault_among<std::uint32_t>(given, sorted, stable)
                                 : fault_among<std::uint64_t>(given, sorted, stable);
}

}  // namespace skde::bench
