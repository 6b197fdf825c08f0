#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engines/registry/registry.hpp"

namespace skde {

/// Which engines to ask if none is named, and which of their seconds count.
struct EngineWish {
  std::optional<Device> device;  ///< only engines of this device
  /// The device is started, and samples and values stay there, so that only the run counts.
  bool resident = false;
  /// Only engines that approximate nothing, whatever the tolerance.
  bool exact = false;

  friend bool operator==(const EngineWish&, const EngineWish&) = default;
};

/// Returns the offers within `tolerance`, or within 1e-4 of the peak if that is 0, the fastest
/// first; all offers if none is within it. An engine whose bits differ from run to run counts as
/// eight times as slow. Throws Error(unsupported) with the refusals if every engine refuses, or
/// Error(resources) if no engine of the wish's device can run here.
std::vector<const EngineOffer*> ranked_offers(std::span<const EngineOffer> offers, double tolerance,
                                              const EngineWish& wish);

}  // namespace skde
