#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/fit/fit_case.hpp"
#include "bench/measure/recorder.hpp"
#include "core/problem.hpp"

namespace skde::bench {

/// Ways to describe a density, by name. The first four have K members; the others have as many
/// bytes.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kFitMethods{
    {{"fit", "a fitted mixture"},
     {"kmeans", "moments of clusters by k-means"},
     {"merging", "pairs merged by moments"},
     {"sklearn", "GaussianMixture of scikit-learn"},
     {"reduced", "the volume in fewer cells"},
     {"openvdb", "OpenVDB with half floats"}}};

/// Settings of the quality runs, the same for every density.
struct FitQualitySettings {
  std::vector<std::uint64_t> members{64, 256, 1024, 4096, 16384, 65536};
  std::vector<std::string> methods;  ///< names of kFitMethods
  std::optional<std::int64_t> steps{};
  std::optional<Device> on{};  ///< where fits run; none: where they take less time
  FitCaseSettings density{};
  double peer_seconds = 600;  ///< of scikit-learn
  std::string python{};       ///< for scikit-learn; see find_python()
};

/// Records a row for each number of members and each method: errors, bytes, seconds. What cannot be
/// measured is a row with the reason. Throws Error(cancelled).
void measure_quality(Recorder& recorder, FitCloud cloud, const FitQualitySettings& settings);

/// Returns a row of a fit, without times.
Result blank_fit_row(std::string_view method, const FitCase& of, std::uint64_t members);

/// Fits, and fills in the row.
void measure_fit(Result& row, const FitCase& of, const FitSpec& spec, Progress& progress);

}  // namespace skde::bench
