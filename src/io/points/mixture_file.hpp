#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/mixture/mixture.hpp"
#include "core/report/progress.hpp"
#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// A line in which a file states something about its mixture: "relative_error" and "0.0123".
struct MixtureFact {
  std::string key;    ///< one word
  std::string value;  ///< on one line

  friend bool operator==(const MixtureFact&, const MixtureFact&) = default;
};
using MixtureFacts = std::vector<MixtureFact>;

/// The key of Mixture::H, as xx xy xz yy yz zz, and that of n_eff of the samples behind it.
inline constexpr std::string_view kKernelCovariance = "kernel_covariance";
inline constexpr std::string_view kEffectiveSamples = "effective_samples";

/// What viewers of splats show of the members; only for files of splats.
struct SplatLook {
  std::span<const float> colours{};   ///< K x 3, red, green and blue in [0, 1]; empty: grey
  std::span<const double> heights{};  ///< K densities at the means; empty: those of each member
                                      ///< alone. Opacity is their share of the largest
};

/// Writes a mixture as .ply, .npy or .csv, whole or not at all, with its facts and H. NPY and CSV
/// hold mass, x, y, z and the covariance as doubles, NPY with the facts in a JSON file beside it.
/// PLY holds splats as viewers expect them, all numbers as float; x + x_low is the mean. Other
/// formats of splats (see splat_formats.hpp) lose the masses, of which opacities remain, the facts
/// and H, and round the rest; they cannot be read as mixtures. Throws Error(usage) for other
/// extensions, Error(output) if that fails or a number is beyond the range of float, and
/// Error(cancelled).
void write_mixture(const std::string& path, const Mixture& mixture, const MixtureFacts& facts,
                   const SplatLook& look, Progress& progress);
/// Throws Error(usage) if a mixture cannot be written under this name.
void require_mixture_extension(const std::string& path);
/// Returns true for the name of a file of splats without masses.
bool loses_masses(const std::string& path);
/// The extensions of mixtures, for help and messages; without those that lose masses.
std::string mixture_extensions();

/// A mixture as read from a file.
struct MixtureFile {
  Mixture mixture;             ///< members of mass 0 are left out
  MixtureFacts facts;          ///< as written
  bool states_kernel = false;  ///< if not, H is 0
};

/// Reads a file of write_mixture(), or any other with such columns. From PLY, means have 48 bits,
/// and the other numbers those of float. Throws Error(input) if the file is broken or no mixture, a
/// mass is negative or a covariance not positive definite; and Error(cancelled).
MixtureFile read_mixture(const std::string& path, Progress& progress, const OpenFiles& files = {});
/// Returns the facts at the head of PLY or CSV. Throws Error(input) if a line is too long.
MixtureFacts facts_at_head(BufferedSource source);

}  // namespace skde::io
