#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/report/thread_room.hpp"

namespace skde {

/// A counting sort on several threads, each of which has a share of the items. Items of a bucket
/// keep their order, whatever the number of threads.
class CountingSort {
 public:
  CountingSort(std::size_t items, std::size_t buckets, int threads)
      : items_(items), starts_(buckets + 1), next_(static_cast<std::size_t>(threads)) {}

  /// Counts the items of each bucket. each(first, end, body) calls body(i) for a thread's items;
  /// bucket_of(i, thread) is the bucket, or below 0 for an item to leave out. Throws what these
  /// throw.
  template <class Each, class BucketOf>
  void count(const Each& each, const BucketOf& bucket_of) {
    FirstFailure failure;
    by_threads([&](int t) {
      failure.keep([&] {
        std::vector<std::size_t> counts(starts_.size() - 1);
        each(first_of(t), first_of(t + 1), [&](std::size_t i) {
          if (const std::int32_t bucket = bucket_of(i, t); bucket >= 0)
            ++counts[static_cast<std::size_t>(bucket)];
        });
        next_[static_cast<std::size_t>(t)] = std::move(counts);
      });
    });
    failure.rethrow();
    std::size_t total = 0;
    for (std::size_t bucket = 0; bucket + 1 < starts_.size(); ++bucket) {
      starts_[bucket] = total;
      for (auto& counts : next_) total += std::exchange(counts[bucket], total);
    }
    starts_.back() = total;
  }

  /// Calls put(i, place) for the counted items. It may throw nothing.
  template <class Each, class BucketOf, class Put>
  void deal(const Each& each, const BucketOf& bucket_of, const Put& put) {
    by_threads([&](int t) {
      std::vector<std::size_t>& next = next_[static_cast<std::size_t>(t)];
      each(first_of(t), first_of(t + 1), [&](std::size_t i) {
        if (const std::int32_t bucket = bucket_of(i, t); bucket >= 0)
          put(i, next[static_cast<std::size_t>(bucket)]++);
      });
    });
  }

  /// The first place of each bucket, and the number of all counted items.
  const std::vector<std::size_t>& starts() const { return starts_; }

 private:
  template <class Body>
  void by_threads(const Body& body) const {
    const int threads = static_cast<int>(next_.size());
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; ++t) body(t);
  }
  std::size_t first_of(int t) const { return items_ * static_cast<std::size_t>(t) / next_.size(); }

  std::size_t items_;
  std::vector<std::size_t> starts_;
  std::vector<std::vector<std::size_t>> next_;  ///< of each thread: counts, then next places
};

}  // namespace skde
