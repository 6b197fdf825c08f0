#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/kernel_function.hpp"
#include "core/report/error.hpp"
#include "core/report/words.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"

namespace skde {

/// What the values of a volume integrate to. `density`: 1 over all space; `box`: 1 over the box;
/// `count`: W over all space.
enum class Normalization { density, box, count };

/// The words of the values, as used in flags and files.
inline constexpr Words<Normalization, 3> kNormalizations{{{"density", Normalization::density},
                                                          {"box", Normalization::box},
                                                          {"count", Normalization::count}}};

/// The name of the values of a sum with negative weights.
inline constexpr std::string_view kSignedDensity = "signed_density";

/// The description of a density that every volume file holds.
struct DensityMetadata {
  KernelFunction kernel = KernelFunction::epanechnikov;  ///< the profile of the kernels
  Symmetric3 H;                                          ///< squared world units
  double h = 0;                                          ///< 0 if H was not made from an h
  std::string bandwidth_source;  ///< "silverman", "scott", "normal-scale", "given"
  double adaptive = 0;           ///< alpha of Abramson's law; 0 if factors are equal or given
  bool sharpened = false;        ///< samples were moved by half of their mean shift
  std::uint64_t samples = 0;     ///< N
  double total_weight = 0;       ///< W
  double effective_samples = 0;  ///< n_eff
  double mass_in_box = 0;        ///< share of W inside the box
  /// Largest error of a value as a share of the peak, as stated by the engine; 0 if unknown.
  double error_bound = 0;
  double measured_error = 0;         ///< the error as measured by direct sums
  std::uint64_t measured_cells = 0;  ///< random cells of that measurement; 0 if there was none
  Normalization normalization = Normalization::density;  ///< what the values integrate to
  Boundaries boundaries{};                               ///< of the box along x, y and z
  CellValue cells = CellValue::centre;                   ///< what the values are of
  std::string category{};     ///< of the samples, if other categories are left out
  double category_share = 0;  ///< share of the weight of all categories; 0 if there are none
  std::string frame{};        ///< what coordinates are made of; empty if read from files
  std::string where{};        ///< condition on columns that samples fulfil; empty if none
  std::string units;          ///< of the coordinates; empty if not given
  /// Names of the columns read as x, y, z; empty if they have none.
  std::array<std::string, 3> axis_names{};
  std::vector<std::string> warnings{};  ///< possible pitfalls of the result, one line each
  /// What the values are if they are not a density: "ratio"; empty for a density.
  std::string values{};
  std::string engine;        ///< that summed the values
  std::string command_line;  ///< of the program that wrote the file
  std::string version;       ///< of skde, as kVersion of core/version.hpp
};

/// Returns whether the values count samples: means over cells to which kernels are points.
bool is_histogram(const DensityMetadata& metadata, const Grid& grid);
/// The part of a frame that says where places are, without the columns that they were read from.
std::string_view places_of_frame(std::string_view frame);
/// Throws Error(input) with `owner` in front if the values of a volume are not a density.
void require_density(const DensityMetadata& metadata, const std::string& owner = {});
/// Throws Error(input) if two frames are known, and the places of one are others in the other.
/// Returns a warning if only one is known.
std::optional<Warning> require_one_frame(const std::string& frame, const std::string& owner,
                                         const std::string& other_frame,
                                         const std::string& other_owner);

}  // namespace skde
