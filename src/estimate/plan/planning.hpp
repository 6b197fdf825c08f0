#pragma once

#include <cstdint>
#include <optional>

#include "engines/registry/offer_choice.hpp"
#include "estimate/plan/plan_density.hpp"
#include "estimate/read/boundary_images.hpp"

namespace skde {

/// A plan of a density while it is being made.
struct Planning {
  CloudSource& source;
  const PlanOrders& orders;
  Progress& progress;
  DensityPlan plan{};
  GridAhead ahead{};
  bool uses_index = true;      ///< false: an index cannot serve the request
  bool would_be_held = false;  ///< whether the whole of an indexed cloud would be in memory
  std::int64_t rows = 0;       ///< promised by the files if one pass is enough; 0: unknown
  std::optional<std::int64_t> host_limit{};  ///< as it was before reading ahead took memory
};

/// Reads the samples into memory if they fit beside the known part of the volume; otherwise only
/// opens them. Only opens them as well if the file has an index that may serve the request.
void read_samples(Planning& planning);

/// Returns whether the cloud is in memory. An indexed cloud is planned as if it were there, or not
/// there, as a whole.
bool is_in_memory(const Planning& planning);

/// Chooses the blocks of an indexed file. Returns false if all must be read.
bool choose_blocks(Planning& planning);

/// Reads files for the likeliest engine while its device starts, assuming that it has enough
/// memory.
void read_ahead(Planning& planning);

/// Returns which engines may be chosen if none is named.
EngineWish wish_of(const Planning& planning);

/// Chooses the engine and divides the work, or stores the obstacle.
void choose_engine(Planning& planning);

/// Returns what an engine with this offer needs memory for, and how much the host has.
MemoryQuestion memory_question(const Planning& planning, const EngineOffer& offer,
                               const BoundaryImages* images, bool in_memory);

/// Returns the images that the faces of the box make for an engine with this offer; none if the
/// engine wraps along all axes that have boundaries. Throws what BoundaryImages throws.
std::optional<BoundaryImages> images_for(const DensityPlan& plan, const Offer& offer);
/// Returns how many images are made at a time: enough for an engine, but few beside a large cloud.
std::size_t images_a_part(const DensityPlan& plan);

}  // namespace skde
