#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cloud/outlined_places.hpp"
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "viewer/layers/samples/point_look.hpp"
#include "viewer/layers/volume/volume_look.hpp"

namespace skde {

struct SampleCloud;

}  // namespace skde

namespace skde::view {

/// Which samples of a cloud to find, and the columns whose values are wanted.
struct PointJob {
  std::shared_ptr<const SampleCloud> cloud;
  std::string column{}, where{};         ///< see PointLook; each may be empty
  std::vector<OutlinedPlaces> within{};  ///< those whose samples are the cloud
  std::string size_column{};             ///< see PointLook; may be empty

  friend bool operator==(const PointJob&, const PointJob&) = default;
};

/// A text in a column, and how many of the samples have it.
struct PointCategory {
  std::string name;
  std::size_t samples = 0;
};

/// Samples of a cloud that are shown, ascending, and what the columns hold.
struct ShownPoints {
  std::vector<std::uint32_t> samples;
  std::vector<double> values{};  ///< of the column, one for each sample; or empty
  std::vector<double> sizes{};   ///< of the column of sizes, likewise
  /// The texts of the column, if it has any, the most frequent first. Values then are their
  /// indices.
  std::vector<PointCategory> categories{};
  ValueAxis value_axis{}, size_axis{};  ///< from the least to the greatest of values and of sizes
};

/// Reads the files of a cloud again, for the samples that fulfil the condition and have values. A
/// column that is not of numbers is one of texts.
/// Throws what io::CloudStream throws, Error(usage) if the cloud came from standard input, and
/// Error(input) if its files have changed since.
ShownPoints find_points(const PointJob& job, Progress& progress);

}  // namespace skde::view
