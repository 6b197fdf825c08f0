#pragma once

#include <cstdint>
#include <optional>

#include "core/report/progress.hpp"
#include "estimate/sum/merged_density.hpp"
#include "estimate/values/request.hpp"

namespace skde {

/// How a stream is followed.
struct WindowSpec {
  std::uint64_t window = 0;  ///< in samples
  std::uint64_t every = 0;   ///< samples between densities; one more at the end of the stream
  std::optional<PartialCloud> moments{};  ///< as in SumsRequest
};

/// Listens to a stream. Called by the thread that reads it.
class StreamListener {
 public:
  virtual ~StreamListener() = default;

  /// Takes the density of the samples in the window.
  virtual void use(MergedDensity density) = 0;
  /// Takes what the next densities have in common, before they begin; may throw to prevent them.
  virtual void begin(const PartialHead& /*head*/) {}
  /// Called before and after each possible wait for the stream.
  virtual void waiting(bool /*waits*/) {}
  /// Returns whether requests may change, even while nothing comes and after the end of the stream.
  virtual bool is_live() const { return false; }
  /// Returns another request for the samples in the window and those to come. Called often.
  virtual std::optional<DensityRequest> changed() { return std::nullopt; }
  /// Takes the reason why a request cannot be served; if this returns, the previous one continues.
  virtual void refused(const Error& error) { throw Error(error); }
  /// Called after the end of the stream; returns when something may have changed.
  virtual void wait() {}
};

/// Reads a stream to its end. Throws what sum_part throws, and Error(input) if it has no samples.
void follow_stream(const CloudFiles& files, const DensityRequest& request, const WindowSpec& spec,
                   std::int64_t memory_limit, StreamListener& listener, Progress& progress);

}  // namespace skde
