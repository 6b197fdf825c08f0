#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/report/error.hpp"
#include "mixture/mixture_fit.hpp"
#include "viewer/work/work_status.hpp"

namespace skde::view {

/// A density to fit, in memory of its own.
struct FitJob {
  Volume volume;
  Symmetric3 kernel{};                  ///< FitInput::kernel
  SamplesView samples{};                ///< may be empty
  std::shared_ptr<const void> owner{};  ///< of the samples
  FitSpec spec{};
};

/// How a fit ended.
struct FitResult {
  std::optional<MixtureFit> fit{};
  std::optional<Error> error{};
};

/// A thread that fits a mixture, one at a time. All functions belong to the thread that made it.
class FitWorker {
 public:
  /// The worker's thread calls `wake` when status() or poll() has something new. May be empty.
  explicit FitWorker(std::function<void()> wake = {}) : wake_(std::move(wake)) {}
  ~FitWorker() { abandon(); }
  FitWorker(const FitWorker&) = delete;
  FitWorker& operator=(const FitWorker&) = delete;

  /// Starts a fit; abandons one that is running.
  void start(FitJob job);
  /// Lets the running fit end with what it has; its result follows.
  void stop() { stops_ = true; }
  /// Cancels the running fit and waits for its end; there will be no result.
  void abandon();
  FitStatus status() const;
  /// Returns the result of a fit that has ended, once.
  std::optional<FitResult> poll();

 private:
  class Reports;
  void run(const FitJob& job);
  void wake() const {
    if (wake_) wake_();
  }

  std::function<void()> wake_;
  std::atomic<bool> stops_{false}, abandoned_{false};
  mutable std::mutex mutex_;
  FitStatus status_;                 // guarded by the mutex
  std::optional<FitResult> result_;  // guarded by the mutex
  std::thread thread_;
};

/// Writes a fitted mixture, with what the fit reached, as .ply, .npy or .csv. Splats have the
/// colours and opacities of the density at their centres. Throws what io::write_mixture() throws.
void save_fitted(const std::string& path, const MixtureFit& fit);

}  // namespace skde::view
