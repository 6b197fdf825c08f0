#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engines/registry.hpp"

namespace skde {

/// Which engines are asked where nobody names one, and which of their seconds count.
struct EngineWish {
  std::optional<Device> device;  ///< engines of this device alone
  /// The device is started and samples and values stay there: the run alone counts.
  bool resident = false;

  friend bool operator==(const EngineWish&, const EngineWish&) = default;
};

/// The offers whose error keeps `tolerance`, or all where that is 0 or none does; those that take
/// the least time first. Throws Error(unsupported) with the refusals where every engine refuses,
/// and Error(resources) where the wish's device is not there.
std::vector<const EngineOffer*> ranked_offers(std::span<const EngineOffer> offers, double tolerance,
                                              const EngineWish& wish);

}  // namespace skde
