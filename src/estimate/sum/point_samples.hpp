#pragma once

#include <optional>
#include <span>

#include "core/problem.hpp"
#include "engines/offer.hpp"
#include "estimate/read/cloud_source.hpp"
#include "estimate/values/density_facts.hpp"

namespace skde {

/// Reads the samples if they are not in memory. Throws Error(resources) if they do not fit.
void require_cloud(CloudSource& source, Progress& progress);

/// Returns the bytes that an engine holds for the sums of these samples. Throws Error(resources) if
/// they are too many.
double require_room(const CloudSource& source, const Offer& offer, const Problem& problem,
                    const CloudFacts& cloud);

/// Opens the files if sums at points may need only the samples near them, and looks for an index.
/// Returns whether there is one, which is then that of the source; `why_ignored` is as in
/// CloudSource::find_index().
bool find_point_index(CloudSource& source, const DensityRequest& request, const PointWishes& wishes,
                      std::string& why_ignored);

/// Returns the rows of the indexed file that are within the offer's reach of the points' box. None
/// if all rows are, or all samples matter.
std::optional<BlockChoice> rows_near(const CloudSource& source, std::span<const double> points,
                                     const Offer& offer);

/// Reads these rows as the samples that are summed. Throws Error(resources) if they do not fit into
/// memory.
std::shared_ptr<const SampleCloud> read_near(CloudSource& source, const BlockChoice& rows,
                                             Progress& progress);

}  // namespace skde
