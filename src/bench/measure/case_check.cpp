#include "bench/measure/case_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace skde::bench {
namespace {

/// Returns false for the uniform kernel. It jumps, so cells at its edge rightly differ.
bool comparable_at_all_cells(const BenchmarkInput& input) {
  return input.kernel.function != KernelFunction::uniform;
}

std::string share_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.2g} of the peak", share) : "values not finite";
}

}  // namespace

CaseCheck::Verdict CaseCheck::judge(const std::string& method, Volume volume,
                                    const Progress& progress) {
  Verdict verdict;
  verdict.error = largest_error(volume, reference_for(volume, progress));
  if (!(verdict.error <= kLargestError + input_.wanted.tolerance)) {
    verdict.complaint = fmt::format("off the reference by {}", share_text(verdict.error));
    return verdict;
  }
  if (!witness_) {
    witness_ = std::move(volume);
    witness_method_ = method;
    return verdict;
  }
  if (!comparable_at_all_cells(input_)) return verdict;
  const double difference = largest_difference(volume, *witness_);
  if (!(difference <= kLargestError + 2 * input_.wanted.tolerance))
    verdict.complaint = fmt::format("off {} by {}", witness_method_, share_text(difference));
  return verdict;
}

double CaseCheck::error_of(const Volume& volume, const Progress& progress) {
  const double error = largest_error(volume, reference_for(volume, progress));
  if (!witness_ || !comparable_at_all_cells(input_)) return error;
  return std::max(error, largest_difference(volume, *witness_));
}

const ReferenceCells& CaseCheck::reference_for(const Volume& volume, const Progress& progress) {
  const SamplesView points = input_.clouds.front().view();
  if (!reference_)
    reference_ =
        make_reference_cells(points, input_.problem(volume.precision()),
                             choose_cells(points, volume, cells_, input_.wanted.seed), progress);
  return *reference_;
}

std::size_t checked_cells(std::uint64_t samples) {
  constexpr double kEvaluations = 5e8;
  return static_cast<std::size_t>(
      std::clamp(kEvaluations / static_cast<double>(samples), 16.0, 500.0));
}

}  // namespace skde::bench
