#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bench/measure/benchmark_case.hpp"
#include "bench/measure/reference_cells.hpp"

namespace skde::bench {

/// A method whose values are farther from the density than this share of the peak is wrong.
inline constexpr double kLargestError = 1e-3;

/// Holds the volumes of all methods on the first cloud of a case against a reference in double at
/// some cells, and against each other at all.
class CaseCheck {
 public:
  /// Compares at `cells` cells. The input must outlive the check.
  CaseCheck(const BenchmarkInput& input, std::size_t cells) : input_(input), cells_(cells) {}

  struct Verdict {
    double error = 0;       ///< against the reference, a share of the peak
    std::string complaint;  ///< why the values are wrong; empty where they are not
  };
  /// Judges the volume of `method`; the first one that is right is kept for the comparison with the
  /// others. Throws Error(cancelled) where the progress says so.
  Verdict judge(const std::string& method, Volume volume, const Progress& progress);
  /// How far a volume is off the density, a share of the peak: against the reference at some cells,
  /// and against the first volume that was right, where there is one, at all; infinite where a
  /// value is not finite.
  double error_of(const Volume& volume, const Progress& progress);

 private:
  const ReferenceCells& reference_for(const Volume& volume, const Progress& progress);

  const BenchmarkInput& input_;
  std::size_t cells_;
  std::optional<ReferenceCells> reference_;
  std::optional<Volume> witness_;
  std::string witness_method_;
};

/// Cells at which a case of so many samples is checked without taking longer than its runs.
std::size_t checked_cells(std::uint64_t samples);

}  // namespace skde::bench
