#pragma once

#include <cstdint>
#include <optional>

#include "core/report/progress.hpp"
#include "estimate/request.hpp"
#include "estimate/sum/merged_density.hpp"

namespace skde {

/// How a stream is followed.
struct WindowSpec {
  std::uint64_t window = 0;  ///< samples
  std::uint64_t every = 0;   ///< a density after so many samples, and at the end of the stream
  std::optional<PartialCloud> moments{};  ///< as SumsRequest has them
};

/// Who follows a stream. Called by the thread that reads it.
class StreamListener {
 public:
  virtual ~StreamListener() = default;

  /// The density of the samples that are in the window.
  virtual void use(MergedDensity density) = 0;
  /// What densities will have in common, before they are begun; may throw to have none of them.
  virtual void begin(const PartialHead& /*head*/) {}
  /// Before and after each time that the stream may have to be waited for.
  virtual void waiting(bool /*waits*/) {}
  /// True where requests change, also while nothing comes and behind the end of the stream.
  virtual bool is_live() const { return false; }
  /// Another request for the samples that are there and for those to come; asked often.
  virtual std::optional<DensityRequest> changed() { return std::nullopt; }
  /// Why it cannot be served; the one before goes on where this returns.
  virtual void refused(const Error& error) { throw Error(error); }
  /// Behind the end: returns where something may have changed.
  virtual void wait() {}
};

/// Reads a stream to its end. Throws what sum_part throws, and Error(input) where there was no
/// sample in it.
void follow_stream(const CloudFiles& files, const DensityRequest& request, const WindowSpec& spec,
                   std::int64_t memory_limit, StreamListener& listener, Progress& progress);

}  // namespace skde
