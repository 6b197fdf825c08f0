#pragma once

#include <cstdint>
#include <vector>

#include "core/cloud/partial_sums.hpp"
#include "engines/whole_sums.hpp"
#include "estimate/request.hpp"

namespace skde {

/// The work on whole-number sums of one process.
struct SumsWork {
  double samples = 0;          ///< that it is known to add; 0: nobody knows
  std::int64_t slices = 0;     ///< of the problem's grid
  std::vector<int> devices{};  ///< GPUs that it may use
  int sharers = 1;             ///< processes like this one that use each of them at a time
};

/// True where the engine of that name sums whole numbers; empty for any.
bool sums_whole_numbers(const std::string& engine);

/// The GPUs that a request lets a process use, whatever the problem: those that it names; otherwise
/// all that are here, or the first one alone. None where it wants the CPU.
std::vector<int> devices_for_sums(const DensityRequest& request, bool all);

/// What sums a problem: GPUs where the request names them, or, as it names nothing, where they save
/// time and their memory holds the sums; otherwise the CPU. Error(resources) where GPUs are named
/// that are not there, or do not hold the sums.
WholeSumsPlace sums_place(const DensityRequest& request, const PartialProblem& problem,
                          const SumsWork& work);

}  // namespace skde
