#pragma once

#include <cstddef>
#include <thread>
#include <vector>

#include "core/report/thread_room.hpp"

namespace skde {

/// Calls work(i) for i in [0, count), each on a thread of its own, and waits for all. Rethrows what
/// the first failing call threw. Meanwhile, `failure` shows the failure to the other threads.
template <class Work>
void by_member_threads(std::size_t count, FirstFailure& failure, const Work& work) {
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < count; ++i)
      threads.emplace_back([&failure, &work, i] { failure.keep([&] { work(i); }); });
    if (count > 0) failure.keep([&] { work(std::size_t{0}); });
  }
  failure.rethrow();
}
template <class Work>
void by_member_threads(std::size_t count, const Work& work) {
  FirstFailure failure;
  by_member_threads(count, failure, work);
}

}  // namespace skde
