#pragma once

#include <cstdint>
#include <string>

#include "core/report/words.hpp"
#include "core/space/volume.hpp"
#include "mixture/mixture_fit.hpp"

namespace skde::bench {

/// The densities that fits are measured on.
enum class FitCloud {
  five_gaussians,  ///< 1e5 samples, Silverman's Gaussian bandwidth, 96 cells along the longest side
  forest,          ///< 2e5 samples, a deviation of 0.75 m, cells of 0.7 m
  quakes,          ///< the 1000 earthquakes of data/quakes.csv, else as five_gaussians
  filament,        ///< 1e5 samples along a winding curve, a deviation of 0.15, cells of 0.1
  noise,           ///< a volume of 64^3 uniform values, each the mean of 27 neighbours
};
inline constexpr Words<FitCloud, 5> kFitClouds{{{"five-gaussians", FitCloud::five_gaussians},
                                                {"forest", FitCloud::forest},
                                                {"quakes", FitCloud::quakes},
                                                {"filament", FitCloud::filament},
                                                {"noise", FitCloud::noise}}};

/// Sizes of the densities; small ones are measured sooner.
struct FitCaseSettings {
  std::uint64_t samples = 0;  ///< 0: as stated at FitCloud
  std::int64_t cells = 0;     ///< along the longest side; 0: as stated at FitCloud
  std::uint64_t seed = 1;
  std::string quakes = "data/quakes.csv";
  EngineOptions options{};
};

/// A density to be fitted.
struct FitCase {
  std::string cloud;
  Samples samples{};  ///< none: only the volume is known
  Volume volume{};
  Symmetric3 H{};  ///< of the density; 0 without samples

  std::int64_t longest_side() const;  ///< in cells
  FitInput input() const { return {&volume, samples.view(), H}; }
};

/// Makes the density. Throws Error(input) if the file of earthquakes cannot be read,
/// Error(resources) and Error(cancelled).
FitCase make_fit_case(FitCloud cloud, const FitCaseSettings& settings, Progress& progress);

/// How near values are to those of a density.
struct FitScore {
  double relative_error = 0;  ///< sqrt(sum (m - f)^2 / sum f^2)
  double psnr = 0;            ///< in decibels, not below 0
  double largest_error = 0;   ///< of a cell, as a share of the peak of f
};
/// Compares values, times a factor, with a density on the same cells.
FitScore score_of(const Volume& density, const Volume& values, double factor = 1);

}  // namespace skde::bench
