#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mixture/mixture_fit.hpp"
#include "viewer/work/background_worker.hpp"

namespace skde::view {

/// A density to fit, in memory of its own.
struct FitJob {
  Volume volume;
  Symmetric3 kernel{};                  ///< FitInput::kernel
  SamplesView samples{};                ///< may be empty
  std::shared_ptr<const void> owner{};  ///< of the samples
  FitSpec spec{};
};

/// Fits mixtures beside the frames, one at a time. All functions belong to the thread that made it.
class FitWorker {
 public:
  /// A fit, and what it has reached.
  struct Running {
    explicit Running(FitJob given) : job(std::move(given)) {}
    FitJob job;
    std::atomic<bool> stops{false};  ///< it is to end with what it has
    std::mutex mutex{};              ///< guards what follows
    std::int64_t step = 0;
    std::vector<float> errors{};
  };
  using Worker = BackgroundWorker<std::shared_ptr<Running>, MixtureFit>;

  /// The worker's thread calls `wake` when status() or poll() has something new. May be empty.
  explicit FitWorker(const std::function<void()>& wake = {});

  /// Starts a fit; abandons one that is running.
  void start(FitJob job);
  /// Lets the running fit end with what it has; its result follows.
  void stop() {
    if (running_) running_->stops = true;
  }
  /// Cancels the running fit, so that there will be no result, and forgets the last one.
  void forget();
  FitStatus status() const;
  /// Returns how a fit has ended, once.
  std::optional<Worker::Answer> poll();
  /// Returns the last fit that has ended since forget().
  const std::optional<MixtureFit>& last() const { return last_; }

 private:
  std::shared_ptr<Running> running_;  ///< or the last one; null before the first
  std::optional<MixtureFit> last_;
  Worker worker_;
};

/// Writes a fitted mixture, with what the fit reached, as .ply, .npy or .csv. Splats have the
/// colours and opacities of the density at their centres. Throws what io::write_mixture() throws.
void save_fitted(const std::string& path, const MixtureFit& fit);

}  // namespace skde::view
