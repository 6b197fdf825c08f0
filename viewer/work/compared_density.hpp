#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/density_comparison.hpp"
#include "core/report/progress.hpp"
#include "core/space/volume.hpp"
#include "estimate/session.hpp"
#include "estimate/values/request.hpp"
#include "viewer/work/questions.hpp"

namespace skde::view {

/// A density B to compute, and the density A to compare it with.
struct CompareJob {
  CloudFiles files{};
  std::shared_ptr<const SampleCloud> cloud{};  ///< of these files, if it is known already
  DensityRequest request{};
  GridOfVolume like{};  ///< the grid of A
  std::shared_ptr<const Volume> a{};
  bool follows_samples = false;  ///< whether the box of A can be enlarged for B
  std::optional<Box> held{};     ///< that the box of A was enlarged for
  std::string name{};            ///< of B, for messages
  CompareAs as = CompareAs::side;
};

/// Two densities compared.
struct Comparison {
  /// The box that B has alone, if that of A must hold it first: then nothing is compared yet.
  std::optional<Box> wider{};
  Volume shown{};                              ///< B, A - B, or ln(A / B), on the grid of A
  double in_box = 1;                           ///< share of B's mass in the box
  std::shared_ptr<const SampleCloud> cloud{};  ///< of B; null for a volume
  double greatest = 0;                         ///< greatest absolute value of `shown`
  double h = 0;                                ///< of B; 0 if its H was not made from an h
  std::optional<DensityComparison> figures{};
  std::vector<std::string> notes{};  ///< why there are no figures; what was resampled
};

/// Returns A - B cell by cell, in double and rounded to float. Requires the same cells.
Volume density_difference(const Volume& a, const Volume& b);

/// Computes a density B with `session` and compares it with A: the figures are those of `skde
/// compare`, and the ratio is that of `skde compare --log`. A volume file is resampled onto the
/// grid of A. If B alone has a box that A's does not hold, only that is returned. Throws what
/// Session throws.
Comparison compare_with(Session& session, const CompareJob& job, Progress& progress);

}  // namespace skde::view
