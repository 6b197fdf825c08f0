#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/grid.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/report/words.hpp"
#include "core/space.hpp"

namespace skde {

/// What a volume's values are: `density` integrates to 1 over all space, `box` to 1 over the box,
/// `count` to W over all space.
enum class Normalization { density, box, count };

/// The names of the values, as flags and files have them.
inline constexpr Words<Normalization, 3> kNormalizations{{{"density", Normalization::density},
                                                          {"box", Normalization::box},
                                                          {"count", Normalization::count}}};

/// What every volume file says of the density in it.
struct DensityMetadata {
  KernelFunction kernel = KernelFunction::epanechnikov;  ///< the profile of the kernels
  Symmetric3 H;                                          ///< squared world units
  double h = 0;                                          ///< 0 where H was not made from an h
  std::string bandwidth_source;  ///< "silverman", "scott", "normal-scale", "given"
  double adaptive = 0;           ///< alpha of Abramson's law; 0: all widths are alike, or given
  std::uint64_t samples = 0;     ///< N
  double total_weight = 0;       ///< W
  double effective_samples = 0;  ///< n_eff
  double mass_in_box = 0;        ///< share of W inside the box
  /// What a value may be off by as a share of the peak, as the engine states it; 0: unknown.
  double error_bound = 0;
  double measured_error = 0;         ///< the same as direct sums found it
  std::uint64_t measured_cells = 0;  ///< at so many random cells; 0: it was not measured
  Normalization normalization = Normalization::density;  ///< what the values integrate to
  Boundaries boundaries{};                               ///< of the box along x, y and z
  std::string category{};     ///< of the samples, where others of their cloud are left out
  double category_share = 0;  ///< of the weight of all categories; 0: there are none
  std::string frame{};        ///< what coordinates were made of; empty: they are those of files
  std::string where{};        ///< the condition on columns that samples fulfil; empty: none
  std::string units;          ///< of the coordinates; empty where not given
  /// Of the columns that were read as x, y, z; empty where they have none.
  std::array<std::string, 3> axis_names{};
  std::vector<std::string> warnings{};  ///< what may mislead, a single line each
  /// What the values are where they are no density: "ratio"; empty: they are one.
  std::string values{};
  std::string engine;        ///< that summed the values
  std::string command_line;  ///< of the program that wrote the file
  std::string version;       ///< of skde, as kVersion of core/version.hpp
};

}  // namespace skde
