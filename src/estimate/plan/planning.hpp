#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/plan/plan_density.hpp"
#include "estimate/sum/boundary_images.hpp"

namespace skde {

/// A plan of a density while it is made.
struct Planning {
  CloudSource& source;
  const PlanOrders& orders;
  Progress& progress;
  DensityPlan plan{};
  GridAhead ahead{};
  std::int64_t rows = 0;  ///< that are promised where one pass is enough; 0: nobody knows
  std::optional<std::int64_t> host_limit{};  ///< before reading ahead took any memory
  std::vector<const EngineOffer*> ranked{};  ///< of the plan's, once they were asked for
};

/// Reads the samples into memory if they fit there beside what is known of the volume, and opens
/// them else.
void read_samples(Planning& planning);

/// Files are read for the likeliest engine while its device starts, as if that had memory enough.
void read_ahead(Planning& planning);

/// The offers among which the engine is chosen where none is named, the best one first. Throws what
/// ranked_offers throws.
const std::vector<const EngineOffer*>& ranked_offers(Planning& planning);

/// Chooses the engine and cuts the work; or keeps the obstacle.
void choose_engine(Planning& planning);

/// What an engine that offers this needs memory for, and how much there is on the host.
MemoryQuestion memory_question(const Planning& planning, const EngineOffer& offer,
                               const BoundaryImages* images, bool in_memory);

/// What the faces of the box make of samples for an engine that offers this; nothing where it wraps
/// along all axes that have boundaries. Throws what BoundaryImages throws.
std::optional<BoundaryImages> images_for(const DensityPlan& plan, const Offer& offer);
/// Images that are made at a time: enough for an engine, and few beside a large cloud.
std::size_t images_a_part(const DensityPlan& plan);

}  // namespace skde
