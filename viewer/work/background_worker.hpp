#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "viewer/work/questions.hpp"

namespace skde::view {

/// A thread beside the frames that works on the newest job only: a newer one cancels the one that
/// runs. All functions belong to the thread that made it.
template <class Job, class Result>
class BackgroundWorker {
 public:
  using Work = std::function<Result(const Job&, Progress&)>;
  /// The newest job and how it ended: with a result or with an error.
  struct Answer {
    Job job;
    std::optional<Result> result{};
    std::optional<Error> error{};
  };

  /// `wake` is called by the worker's thread when status() or poll() has something new. May be
  /// empty.
  BackgroundWorker(Work work, std::function<void()> wake)
      : work_(std::move(work)), wake_(std::move(wake)), thread_([this] { serve(); }) {}
  /// Cancels the job and waits for its end.
  ~BackgroundWorker() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    asked_.notify_one();
    thread_.join();
  }
  BackgroundWorker(const BackgroundWorker&) = delete;
  BackgroundWorker& operator=(const BackgroundWorker&) = delete;

  /// Cancels the newest job and begins this one, if there is one.
  void request(std::optional<Job> job) {
    cancel();
    if (!job) return;
    {
      const std::lock_guard lock(mutex_);
      waiting_ = std::move(job);
      status_.busy = true;
    }
    asked_.notify_one();
  }
  /// Cancels the newest job; there will be no answer. Does not wait for its end.
  void cancel() {
    const std::lock_guard lock(mutex_);
    ++newest_;
    waiting_.reset();
    answer_.reset();
    status_ = {};
  }
  /// Returns the answer to the newest job, once.
  std::optional<Answer> poll() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answer_, std::nullopt);
  }
  /// Waits for the answer to a job that was requested and whose answer poll() has not returned.
  /// Throws Error(cancelled) once `cancelled` returns true.
  Answer wait(const std::function<bool()>& cancelled) {
    constexpr std::chrono::milliseconds kLookAgain{50};
    std::unique_lock lock(mutex_);
    while (!answer_) {
      if (cancelled()) throw Error(ErrorKind::cancelled, "cancelled");
      answered_.wait_for(lock, kLookAgain, [this] { return answer_.has_value(); });
    }
    return *std::exchange(answer_, std::nullopt);
  }
  WorkStatus status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  class Reports final : public Progress {
   public:
    explicit Reports(BackgroundWorker& worker) : worker_(worker) {}
    void begin(std::string_view stage, std::uint64_t total, std::string_view) override {
      total_ = total;
      note(std::string(stage), total > 0 ? std::optional(0.0) : std::nullopt);
    }
    void update(std::uint64_t done) override {
      if (total_ > 0) note({}, static_cast<double>(done) / static_cast<double>(total_));
    }
    bool cancelled() const override {
      const std::lock_guard lock(worker_.mutex_);
      return worker_.ending_ || worker_.running_ != worker_.newest_;
    }

   private:
    /// An empty stage leaves that of before.
    void note(std::string stage, std::optional<double> share) {
      const std::lock_guard lock(worker_.mutex_);
      if (worker_.running_ != worker_.newest_) return;
      if (!stage.empty()) worker_.status_.stage = std::move(stage);
      worker_.status_.share = share;
    }
    BackgroundWorker& worker_;
    std::uint64_t total_ = 0;
  };

  Answer run(const Job& job) {
    Answer answer{job};
    Reports reports(*this);
    try {
      answer.result = work_(job, reports);
    } catch (const Error& error) {
      answer.error = error;
    } catch (const std::bad_alloc&) {
      answer.error = Error(ErrorKind::resources, "out of memory", {"dims", "use smaller `dims`"});
    } catch (const std::exception& error) {
      answer.error = Error(ErrorKind::resources, error.what());
    }
    return answer;
  }

  void serve() {
    for (;;) {
      std::optional<Job> job;
      {
        std::unique_lock lock(mutex_);
        asked_.wait(lock, [this] { return ending_ || waiting_; });
        if (ending_) return;
        job = std::exchange(waiting_, std::nullopt);
        running_ = newest_;
      }
      Answer answer = run(*job);
      {
        const std::lock_guard lock(mutex_);
        if (running_ != newest_) continue;
        status_ = {};
        answer_ = std::move(answer);
      }
      answered_.notify_all();
      if (wake_) wake_();
    }
  }

  Work work_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable asked_, answered_;
  bool ending_ = false;
  std::uint64_t newest_ = 0, running_ = 0;
  std::optional<Job> waiting_;
  std::optional<Answer> answer_;
  WorkStatus status_;

  std::thread thread_;  // last, because it uses all members above
};

}  // namespace skde::view
