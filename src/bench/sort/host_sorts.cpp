#include "bench/sort/host_sorts.hpp"

#include <algorithm>
#include <utility>

#include "order/sorted_order.hpp"
#include "system/stop_watch.hpp"

namespace skde::bench {
namespace {

constexpr std::size_t kParallel = 1 << 15;  // fewer items are not worth the start of threads

class StdSort : public SortRun {
 public:
  explicit StdSort(const SortItems& given) : given_(given) {}

  double sort() override {
    if (!given_.values.empty()) return sort_pairs();
    sorted_ = given_;
    const StopWatch watch;
    std::visit([](auto& keys) { std::ranges::sort(keys); }, sorted_.keys);
    return watch.seconds();
  }

  SortItems take_sorted() override {
    if (given_.values.empty()) return std::move(sorted_);
    SortItems items;
    auto& keys = items.keys.emplace<std::vector<std::uint64_t>>();
    for (const Pair& pair : pairs_) {
      keys.push_back(pair.key);
      items.values.push_back(pair.value);
    }
    return items;
  }

 private:
  struct Pair {
    std::uint64_t key;
    std::uint32_t value;
  };

  double sort_pairs() {
    const auto& keys = std::get<std::vector<std::uint64_t>>(given_.keys);
    pairs_.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) pairs_[i] = {keys[i], given_.values[i]};
    const StopWatch watch;
    std::ranges::stable_sort(pairs_, {}, &Pair::key);
    return watch.seconds();
  }

  const SortItems& given_;
  SortItems sorted_{};
  std::vector<Pair> pairs_{};
};

class OrderSort : public SortRun {
 public:
  explicit OrderSort(const SortItems& given) : given_(given) {}

  double sort() override {
    return std::visit([&](const auto& keys) { return sort_keys(keys); }, given_.keys);
  }
  SortItems take_sorted() override { return std::move(sorted_); }

 private:
  template <class Key>
  double sort_keys(const std::vector<Key>& keys) {
    auto& sorted = sorted_.keys.emplace<std::vector<Key>>(keys.size());
    const StopWatch watch;
    std::vector<std::uint32_t> order;
    if constexpr (sizeof(Key) == sizeof(std::uint64_t))
      order = sorted_order(keys);
    else
      order = sorted_order(std::vector<std::uint64_t>(keys.begin(), keys.end()));
#pragma omp parallel for schedule(static) if (order.size() >= kParallel)
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = keys[order[i]];
    const double seconds = watch.seconds();
    // The values of the given pairs are their rows.
    if (!given_.values.empty()) sorted_.values = std::move(order);
    return seconds;
  }

  const SortItems& given_;
  SortItems sorted_{};
};

}  // namespace

std::unique_ptr<SortRun> begin_std_sort(const SortItems& items, int) {
  return std::make_unique<StdSort>(items);
}

std::unique_ptr<SortRun> begin_order_sort(const SortItems& items, int) {
  return std::make_unique<OrderSort>(items);
}

}  // namespace skde::bench
