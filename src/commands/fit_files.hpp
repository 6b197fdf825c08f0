#pragma once

#include <array>
#include <string>
#include <vector>

#include "commands/fit_input.hpp"
#include "commands/output/fit_report.hpp"

namespace skde::cli {

/// Returns the files that writing a mixture makes.
std::vector<std::string> mixture_files(const std::string& path);
/// Writes a mixture with these facts, whole or not at all. Splats have the colours and opacities of
/// the density at their centres.
std::vector<WrittenFile> write_fitted(const std::string& path, const Mixture& mixture,
                                      const io::MixtureFacts& facts, const EngineOptions& options,
                                      Progress& progress);
/// Writes a picture of the given density, the fitted one and their difference by one scale.
WrittenFile write_fit_picture(const std::string& path, const GivenDensity& given, const FitRun& run,
                              const Mixture& mixture, const std::vector<std::string>& flipped,
                              Progress& progress);

}  // namespace skde::cli
