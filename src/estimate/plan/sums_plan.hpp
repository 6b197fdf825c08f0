#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cloud/partial_sums.hpp"
#include "estimate/plan/density_plan.hpp"

namespace skde {

/// What one of several processes sums, and the GPUs that it may use.
struct SumsShare {
  SliceRange slices{};  ///< of the grid
  std::vector<int> devices{};
  int sharers = 1;  ///< processes like this one that use each of them at a time
};

/// What is asked of whole-number sums: of a part of a cloud, a window of a stream, a rank's slab.
struct SumsRequest {
  DensityRequest density{};
  io::CloudPart part{};
  /// Of all parts together: bandwidth, box and the scale of the integers follow from them.
  /// Without them all of these must not depend on the samples, which have no weights then.
  std::optional<PartialCloud> whole{};
  std::int64_t memory_limit = 0;     ///< bytes of host memory; 0: what is available
  std::uint64_t window = 0;          ///< samples that it holds; 0: there is none
  double largest_weight = 1;         ///< of a sample of the window, without moments
  std::optional<SumsShare> share{};  ///< none: this process sums the whole grid
};

/// Every decision about sums in integers: those of a density's plan, and what they have
/// besides. Planning reads moments, and sums nothing.
struct SumsPlan : DensityPlan {
  io::CloudPart part{};
  std::uint64_t window = 0;             ///< samples that are held at a time; 0: there is no window
  std::optional<PartialCloud> whole{};  ///< that the samples of the part are among
  PartialHead head{};                   ///< the problem; no samples yet
  SliceRange slices{};                  ///< of the grid, that are summed
  std::vector<SliceRange> slabs{};      ///< of all processes; empty: there is one
  EngineOptions options{};              ///< threads, or the GPUs that share the samples
  std::int64_t memory_limit = 0;        ///< that `memory` has to keep

  /// "span, 4 threads" or "cuda-chop-crop on GPU 0 and 1".
  std::string summed_by() const;
  friend bool operator==(const SumsPlan&, const SumsPlan&) = default;
};

/// Plans the sums of samples that are read from these files. Error(usage) where something follows
/// from samples whose moments are not given, or where a window may hold more weight than the sums
/// have digits for, Error(unsupported) for widths of samples and engines without integers; and
/// what set_up_density throws.
SumsPlan plan_sums(const CloudFiles& files, const SumsRequest& request);
/// The first step of that: what all parts, and all ranks, have in common. Throws the same.
PartialHead plan_head(const CloudFiles& files, const SumsRequest& request);
/// The other steps, for the head of the same request.
SumsPlan plan_sums(const CloudFiles& files, const SumsRequest& request, PartialHead head);

/// The GPUs that a request lets a process use, whatever the problem: those that it names; otherwise
/// all that are here, or the first one alone. None where it wants the CPU.
std::vector<int> devices_for_sums(const DensityRequest& request, bool all);

}  // namespace skde
