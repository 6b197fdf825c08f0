#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "bandwidth/bandwidth_search.hpp"
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "viewer/work/questions.hpp"

namespace skde {

struct SampleCloud;

}  // namespace skde

namespace skde::view {

/// More samples than this are represented by so many of them, drawn at random.
inline constexpr std::uint64_t kMostJudges = 50000;

/// Samples whose bandwidths are scored.
struct ScoreJob {
  std::shared_ptr<const SampleCloud> cloud;
  BandwidthSpec bandwidth{};  ///< its rule is the score: lscv or lcv
  KernelFunction kernel{};
  int threads = 0;       ///< 0: one per core
  bool sharpen = false;  ///< the density is sharpened

  friend bool operator==(const ScoreJob&, const ScoreJob&) = default;
};

/// The scores of bandwidths h of all samples, the lowest being the best, and h of rules.
struct ScoreCurve {
  std::vector<ScoredBandwidth> curve{};  ///< by h
  ScoredBandwidth best{};
  std::optional<double> silverman{}, plug_in{};
  std::uint64_t judges = 0, samples = 0;  ///< that score, and all
  std::vector<Warning> warnings{};
};

/// Computes what `skde bandwidth --method lscv|lcv` does, with `--subsample` kMostJudges, and the
/// plug-in h of the same samples; none if that rule finds none, or samples are sharpened. Throws
/// what data_driven_bandwidth() throws.
ScoreCurve score_curve(const ScoreJob& job, Progress& progress);

/// The curve of scores that is shown, or why there is none.
struct ScoreFacts {
  std::optional<ScoreCurve> curve{};
  WorkStatus status{};
  std::optional<Error> problem{};
};

}  // namespace skde::view
