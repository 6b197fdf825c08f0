#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/partial_sums.hpp"
#include "estimate/plan/density_plan.hpp"

namespace skde {

/// The slices that one of several processes sums, and the GPUs that it may use.
struct SumsShare {
  SliceRange slices{};  ///< of the grid
  std::vector<int> devices{};
  int sharers = 1;  ///< processes like this one that share each GPU
};

/// A request for integer sums: of a part of a cloud, a window of a stream, or a rank's slab.
struct SumsRequest {
  DensityRequest density{};
  io::CloudPart part{};
  /// Moments of all parts together: bandwidth, box and the scale of the integers follow from them.
  /// If empty, none of these may depend on the samples, which then have no weights.
  std::optional<PartialCloud> whole{};
  std::int64_t memory_limit = 0;     ///< bytes of host memory; 0: what is available
  std::uint64_t window = 0;          ///< samples in the window; 0: there is no window
  double largest_weight = 1;         ///< of a sample of the window, if there are no moments
  double total_weight = 0;           ///< of the window, in that case; 0: it may still fill up
  std::optional<SumsShare> share{};  ///< none: this process sums the whole grid
};

/// Every decision about integer sums: all that a density's plan has, and some more. Planning reads
/// moments, and sums nothing.
struct SumsPlan : DensityPlan {
  io::CloudPart part{};
  std::uint64_t window = 0;             ///< samples that are held at a time; 0: there is no window
  std::optional<PartialCloud> whole{};  ///< the cloud that the samples of the part belong to
  PartialHead head{};                   ///< the problem; no samples yet
  SliceRange slices{};                  ///< slices of the grid that are summed
  std::vector<SliceRange> slabs{};      ///< slabs of all processes; empty if there is only one
  EngineOptions options{};              ///< threads, or the GPUs that share the samples
  std::int64_t memory_limit = 0;        ///< the limit on `memory`

  /// Returns "span, 4 threads" or "cuda-chop-crop on GPU 0 and 1".
  std::string summed_by() const;
  friend bool operator==(const SumsPlan&, const SumsPlan&) = default;
};

/// Plans the sums of samples in these files. Throws Error(usage) if something depends on samples
/// whose moments are not given, or if a window may hold more weight than the sums have digits for.
/// Throws Error(unsupported) for per-sample bandwidths and for engines without integer sums, and
/// what set_up_density throws.
SumsPlan plan_sums(const CloudFiles& files, const SumsRequest& request);
/// Plans what all parts and all ranks have in common: the first step of plan_sums. Throws the same.
PartialHead plan_head(const CloudFiles& files, const SumsRequest& request);
/// Plans the remaining steps, for the head of the same request.
SumsPlan plan_sums(const CloudFiles& files, const SumsRequest& request, PartialHead head);

/// Returns the GPUs that a request lets a process use, whatever the problem: those it names;
/// otherwise all GPUs present, or only the first. None if it wants the CPU.
std::vector<int> devices_for_sums(const DensityRequest& request, bool all);

}  // namespace skde
