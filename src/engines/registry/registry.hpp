#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.hpp"

namespace skde {

class IntegerSums;
struct IntegerAccumulator;
struct PartialProblem;

/// A row of the table of engines.
struct EngineEntry {
  EngineTraits traits;
  /// Returns why this engine cannot run here, e.g. "built without the CUDA toolkit"; empty if it
  /// can.
  std::string (*unavailable)();
  /// Creates the engine and starts nothing. Returns null if the engine is not built.
  std::unique_ptr<Engine> (*create)(const EngineOptions& options);
  /// Null if the engine has none or is not built.
  const IntegerAccumulator* integers = nullptr;
};

/// All engines that skde knows, including those that this build or machine cannot run.
std::span<const EngineEntry> engine_table();

/// Returns the row of that name. Throws Error(usage) that suggests the nearest name if there is
/// none.
const EngineEntry& engine_entry(std::string_view name);

/// Makes the engine of that name. Throws what engine_entry throws, and Error(resources) with the
/// reason if it is unavailable.
std::unique_ptr<Engine> make_engine(std::string_view name, const EngineOptions& options);

/// Returns the name of a device's engine that sums integers (EngineTraits::sums_integers).
std::string_view integer_engine(Device device);
/// Throws Error(unsupported) for kernels that integer sums do not know.
void require_integers(KernelFunction function);
/// Makes the integer sums of the engine of that name. Throws what engine_entry, require_integers
/// and IntegerAccumulator throw, and Error(unsupported) if the engine sums no integers here.
std::unique_ptr<IntegerSums> make_integer_sums(std::string_view name, const PartialProblem& problem,
                                               SliceRange slices, const EngineOptions& options);

/// Returns the indices of all CUDA devices; empty if none can be used.
std::vector<int> all_devices();

/// What an engine of the table offers.
struct EngineOffer {
  const EngineEntry* entry = nullptr;
  Offer offer;  ///< a refusal if the engine is unavailable

  friend bool operator==(const EngineOffer&, const EngineOffer&) = default;
};

/// Returns the offers of all engines, in the order of the table. Asking a GPU starts its driver;
/// without `asks_gpus`, its engines refuse.
std::vector<EngineOffer> engine_offers(const Problem& problem, const CloudFacts& cloud,
                                       const EngineOptions& options, bool asks_gpus = true);
/// Returns the offer of an engine among those of all. Throws what engine_entry throws.
const EngineOffer& offer_of(std::span<const EngineOffer> offers, std::string_view engine);

}  // namespace skde
