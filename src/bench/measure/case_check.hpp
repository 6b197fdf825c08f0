#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bench/measure/benchmark_case.hpp"
#include "bench/measure/reference_cells.hpp"

namespace skde::bench {

/// Values that are off the density by more than this share of the peak are wrong.
inline constexpr double kLargestError = 1e-3;

/// Compares the volumes of all methods on the first cloud of a case: with a reference in double at
/// some cells, and with each other at all cells.
class CaseCheck {
 public:
  /// Compares with the reference at `cells` cells. The input must outlive the check.
  CaseCheck(const BenchmarkInput& input, std::size_t cells) : input_(input), cells_(cells) {}

  struct Verdict {
    double error = 0;       ///< against the reference, as a share of the peak
    std::string complaint;  ///< why the values are wrong; empty if they are right
  };
  /// Judges the volume of `method`. The first right volume is kept for comparison with the others.
  /// Throws Error(cancelled) if the user cancels.
  Verdict judge(const std::string& method, Volume volume, const Progress& progress);
  /// Returns how far a volume is off the density, as a share of the peak. It is compared with the
  /// reference at some cells, and at all cells with the first right volume, if there is one.
  /// Returns infinity if a value is not finite.
  double error_of(const Volume& volume, const Progress& progress);

 private:
  const ReferenceCells& reference_for(const Volume& volume, const Progress& progress);

  const BenchmarkInput& input_;
  std::size_t cells_;
  std::optional<ReferenceCells> reference_;
  std::optional<Volume> witness_;
  std::string witness_method_;
};

/// Returns how many cells can be checked for this many samples without taking longer than the runs.
std::size_t checked_cells(std::uint64_t samples);

}  // namespace skde::bench
