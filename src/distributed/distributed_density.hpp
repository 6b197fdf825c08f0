#pragma once

#include <string>
#include <vector>

#include "core/report/progress.hpp"
#include "distributed/rank_group.hpp"
#include "estimate/sum/merged_density.hpp"
#include "estimate/values/request.hpp"

namespace skde {

/// What the ranks compute together, and where the result goes.
struct DistributedRequest {
  CloudFiles files;
  DensityRequest density;
  std::int64_t memory_limit = 0;  ///< bytes of host memory per rank; 0: what is available
  std::string output, format;     ///< of the volume; an empty format follows from the path's
                                  ///< extension
  std::string units, command_line;
  bool only_plans = false;  ///< nothing is summed, and nothing written
};

/// The result, the same on every rank.
struct DistributedResult {
  PartialHead head;
  MergedFacts facts;
  std::int64_t sent = 0;                 ///< samples sent to the owners of slabs, some to several
  std::int64_t cell_bytes = 0;           ///< bytes of the largest slab's sums
  std::vector<std::string> summed_by{};  ///< what sums each rank's slab; empty if it has none
  std::vector<SliceRange> slabs{};       ///< of the ranks
  std::vector<std::string> plans{};      ///< documents of the ranks, if they only plan
};

/// Computes the density of files over all ranks. Each rank reads its part of every file, and the
/// moments of all are gathered without rounding. Each sample goes to the ranks whose slabs its
/// kernel reaches; each rank sums and writes its slab. The values have the bits of partial sums, on
/// any number of ranks. `report` reports an error and returns the exit code. Throws RankFailure.
DistributedResult distribute_density(const RankGroup& ranks, const DistributedRequest& request,
                                     const std::function<int(std::exception_ptr)>& report,
                                     Progress& progress);

}  // namespace skde
