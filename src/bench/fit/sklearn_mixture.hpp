#pragma once

#include <string>

#include "bench/peers/python_script.hpp"
#include "core/cloud/samples.hpp"
#include "core/mixture/mixture.hpp"

namespace skde::bench {

/// The modules that the script imports.
inline constexpr std::string_view kMixtureModules = "numpy, sklearn.mixture";

/// A fit by scikit-learn.
struct SklearnJob {
  std::string python;
  std::size_t members = 0;
  std::uint64_t seed = 1;
  int threads = 0;        ///< 0: all
  double patience = 600;  ///< in seconds
};

struct SklearnMixture {
  Mixture mixture{};
  double seconds = 0;  ///< of the fit alone
  std::string made_by{};
  bool late = false;  ///< it took longer than the job allows; then there is no mixture
};

/// Fits scikit-learn's GaussianMixture to samples without weights. H is added to its covariances,
/// as the density is that of the samples blurred by H; the masses sum to `mass`. Throws
/// Error(input) if it ends with an error, and Error(cancelled).
SklearnMixture sklearn_mixture(const SklearnJob& job, const SamplesView& samples,
                               const Symmetric3& H, double mass, const Progress& progress);

}  // namespace skde::bench
