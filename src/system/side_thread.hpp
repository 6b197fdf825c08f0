#pragma once

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace skde {

/// A thread for work beside its owner's, one task at a time. It stays between tasks: to start a
/// thread, and the first calls of a device on it, take as long as a small density on a GPU.
class SideThread {
 public:
  /// Runs the work. The result must be waited for before the next call.
  template <class Work>
  std::future<std::invoke_result_t<Work>> run(Work work) {
    std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
    auto result = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      task_ = std::packaged_task<void()>(std::move(task));
    }
    asked_.notify_one();
    return result;
  }

 private:
  void loop(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (asked_.wait(lock, stop, [this] { return task_.valid(); })) {
      std::packaged_task<void()> task = std::exchange(task_, {});
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any asked_;
  std::packaged_task<void()> task_;
  std::jthread thread_{[this](const std::stop_token& stop) { loop(stop); }};  // last: uses the rest
};

}  // namespace skde
