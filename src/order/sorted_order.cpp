#include "order/sorted_order.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "core/counting_sort.hpp"
#include "core/report/progress.hpp"
#include "core/report/thread_room.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

using Key = std::uint64_t;
using Row = std::uint32_t;

constexpr int kMostBits = 11;  ///< of a digit: its counters and open ends fit in a core's cache
constexpr std::size_t kDigits = std::size_t{1} << kMostBits;
/// Fewer keys than this are sorted by insertion, and fewer than kShared by one thread.
constexpr std::size_t kFew = 24, kShared = std::size_t{1} << 17;

/// Uninitialised memory for keys and their rows.
struct PairMemory {
  explicit PairMemory(std::size_t count)
      : keys(new Key[count]), rows(new Row[count]) {  // NOLINT: make_unique would clear them
    ask_for_huge_pages(keys.get(), count * sizeof(Key));
    ask_for_huge_pages(rows.get(), count * sizeof(Row));
  }
  std::unique_ptr<Key[]> keys;  // NOLINT(modernize-avoid-c-arrays)
  std::unique_ptr<Row[]> rows;  // NOLINT(modernize-avoid-c-arrays)
};

/// Pairs of a key and its row, side by side in two arrays.
struct Pairs {
  Key* keys;
  Row* rows;
  std::size_t count;

  Pairs part(std::size_t first, std::size_t size) const {
    return {keys + first, rows + first, size};
  }
};

/// The bits of a key by which pairs are dealt out.
struct Digit {
  int shift, bits;
  std::size_t of(Key key) const { return key >> shift & ((Key{1} << bits) - 1); }
  std::size_t values() const { return std::size_t{1} << bits; }
};

/// The topmost bits below and including the highest of `varying`, so that about eight pairs have
/// the same if keys are spread evenly.
Digit top_digit(Key varying, std::size_t count) {
  const int top = static_cast<int>(std::bit_width(varying));
  const int wanted =
      std::clamp(static_cast<int>(std::bit_width(std::uint64_t{count})) - 3, 4, kMostBits);
  const int bits = std::min(wanted, top);
  return {top - bits, bits};
}

void sort_by_insertion(const Pairs& pairs) {
  for (std::size_t i = 1; i < pairs.count; ++i) {
    const Key key = pairs.keys[i];
    const Row row = pairs.rows[i];
    std::size_t to = i;
    for (; to > 0 && key < pairs.keys[to - 1]; --to) {
      pairs.keys[to] = pairs.keys[to - 1];
      pairs.rows[to] = pairs.rows[to - 1];
    }
    pairs.keys[to] = key;
    pairs.rows[to] = row;
  }
}

/// Writes the rows of the pairs in ascending order of their keys. The contents of `pairs` and of
/// `other`, which has as much room, are lost.
void sort_alone(const Pairs& pairs, const Pairs& other, Row* order) {
  Key varying = 0;
  if (pairs.count <= kFew)
    sort_by_insertion(pairs);
  else
    for (std::size_t i = 1; i < pairs.count; ++i) varying |= pairs.keys[i] ^ pairs.keys[0];
  if (varying == 0) {
    std::copy_n(pairs.rows, pairs.count, order);
    return;
  }
  const Digit digit = top_digit(varying, pairs.count);
  std::array<Row, kDigits + 1> ends;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::fill_n(ends.begin(), digit.values() + 1, Row{0});
  for (std::size_t i = 0; i < pairs.count; ++i) ++ends[digit.of(pairs.keys[i]) + 1];
  std::partial_sum(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(digit.values()) + 1,
                   ends.begin());
  for (std::size_t i = 0; i < pairs.count; ++i) {
    const Row to = ends[digit.of(pairs.keys[i])]++;
    other.keys[to] = pairs.keys[i];
    other.rows[to] = pairs.rows[i];
  }
  // Each counter has moved from the start of its digit to its end.
  for (std::size_t value = 0, first = 0; value < digit.values(); first = ends[value++])
    if (const std::size_t size = ends[value] - first; size > 0)
      sort_alone(other.part(first, size), pairs.part(first, size), order + first);
}

/// Deals the pairs out by a digit, on all threads; rows of null stand for 0, 1, 2 and so on.
/// Returns the first place of each value, followed by the number of pairs.
std::vector<std::size_t> deal_out(const Key* keys, const Row* rows, std::size_t count,
                                  const Pairs& to, const Digit& digit) {
  const auto each = [](std::size_t first, std::size_t end, const auto& body) {
    for (std::size_t i = first; i < end; ++i) body(i);
  };
  const auto digit_of = [&](std::size_t i, int) {
    return static_cast<std::int32_t>(digit.of(keys[i]));
  };
  CountingSort sort(count, digit.values(), thread_count(0));
  sort.count(each, digit_of);
  sort.deal(each, digit_of, [&](std::size_t i, std::size_t at) {
    to.keys[at] = keys[i];
    to.rows[at] = rows == nullptr ? static_cast<Row>(i) : rows[i];
  });
  return sort.starts();
}

/// Sorts many pairs on all threads: they are dealt out by the topmost bits that vary, and the
/// threads sort what has the same. Pairs that are still too many for one thread are dealt out
/// again. Of a progress that is cancelled the order is incomplete.
void sort_shared(const Key* keys, const Row* rows, std::size_t count, Row* order,
                 const Progress* progress) {
  const Key varying = varying_bits({keys, count});
  if (varying == 0) {
    if (rows == nullptr)
      std::iota(order, order + count, Row{0});
    else
      std::copy_n(rows, count, order);
    return;
  }
  const PairMemory memory(count);
  const Pairs all{memory.keys.get(), memory.rows.get(), count};
  const std::vector<std::size_t> starts =
      deal_out(keys, rows, count, all, top_digit(varying, count));
  const std::size_t most =
      std::max(kShared, 2 * count / static_cast<std::size_t>(thread_count(0)) / 8);
  std::size_t largest = 0;
  for (std::size_t value = 0; value + 1 < starts.size(); ++value) {
    const std::size_t size = starts[value + 1] - starts[value];
    if (size <= most)
      largest = std::max(largest, size);
    else
      sort_shared(all.keys + starts[value], all.rows + starts[value], size, order + starts[value],
                  progress);
  }
#pragma omp parallel
  {
    const PairMemory own(largest);
#pragma omp for schedule(dynamic, 4)
    for (std::size_t value = 0; value < starts.size() - 1; ++value) {
      const std::size_t size = starts[value + 1] - starts[value];
      if (size == 0 || size > most || (progress && progress->cancelled())) continue;
      sort_alone(all.part(starts[value], size), {own.keys.get(), own.rows.get(), size},
                 order + starts[value]);
    }
  }
}

void sort_rows(std::span<const Key> keys, std::span<Row> order, const Progress* progress) {
  if (keys.size() >= std::size_t{1} << 32 || order.size() != keys.size())
    throw std::logic_error("an order needs room for all rows, and has at most 2^32 - 1");
  if (!keys.empty()) sort_shared(keys.data(), nullptr, keys.size(), order.data(), progress);
}

}  // namespace

void sort_order(std::span<const std::uint64_t> keys, std::span<std::uint32_t> order) {
  sort_rows(keys, order, nullptr);
}

std::uint64_t varying_bits(std::span<const std::uint64_t> keys) {
  std::uint64_t varying = 0;
#pragma omp parallel for schedule(static) reduction(| : varying)
  for (std::size_t i = 1; i < keys.size(); ++i) varying |= keys[i] ^ keys[0];
  return varying;
}

void OrderMemory::sort(std::span<const std::uint64_t> keys, std::span<std::uint32_t> order) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (keys_[i].size() < keys.size()) keys_[i].resize(keys.size());
    if (rows_[i].size() < keys.size()) rows_[i].resize(keys.size());
  }
  std::ranges::copy(keys, keys_[0].begin());
  std::iota(rows_[0].begin(), rows_[0].begin() + std::ssize(keys), Row{0});
  sort_alone({keys_[0].data(), rows_[0].data(), keys.size()},
             {keys_[1].data(), rows_[1].data(), keys.size()}, order.data());
}

std::vector<std::uint32_t> sorted_order(std::span<const std::uint64_t> keys,
                                        const Progress* progress) {
  std::vector<std::uint32_t> order(keys.size());
  sort_rows(keys, order, progress);
  if (progress) progress->throw_if_cancelled();
  return order;
}

}  // namespace skde
