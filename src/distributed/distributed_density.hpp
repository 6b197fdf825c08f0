#pragma once

#include <string>
#include <vector>

#include "core/report/progress.hpp"
#include "distributed/rank_group.hpp"
#include "estimate/request.hpp"
#include "estimate/sum/merged_density.hpp"

namespace skde {

/// What the ranks compute together, and where it goes.
struct DistributedRequest {
  CloudFiles files;
  DensityRequest density;
  std::int64_t memory_limit = 0;  ///< bytes of host memory of a rank; 0: what is available
  std::string output, format;     ///< of the volume; the format by the path's extension if empty
  std::string units, command_line;
  bool only_plans = false;  ///< nothing is summed, and nothing written
};

/// What came of it; the same on every rank.
struct DistributedResult {
  PartialHead head;
  MergedFacts facts;
  std::int64_t sent = 0;        ///< samples that went to the owners of slabs, some to several
  std::int64_t cell_bytes = 0;  ///< of the largest slab's sums
  std::vector<std::string> summed_by{};  ///< what sums each rank's slab; empty where it has none
  std::vector<SliceRange> slabs{};       ///< of the ranks
  std::vector<std::string> plans{};      ///< of the ranks, as documents, where nothing else is done
};

/// The density of files over all ranks: each reads its part of every file, the moments of all are
/// gathered without rounding, each sample goes to the ranks whose slabs of the grid its kernel
/// reaches, and each rank sums and writes its slab. The values have the bits of partial sums, on
/// any number of ranks. `report` tells of an error and returns the exit code. Throws RankFailure.
DistributedResult distribute_density(const RankGroup& ranks, const DistributedRequest& request,
                                     const std::function<int(std::exception_ptr)>& report,
                                     Progress& progress);

}  // namespace skde
