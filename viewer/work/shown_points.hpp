#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cloud/outlined_places.hpp"
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "viewer/volume/point_look.hpp"

namespace skde {

struct SampleCloud;

}  // namespace skde

namespace skde::view {

/// Which samples of a cloud to find, and the column whose values are wanted.
struct PointJob {
  std::shared_ptr<const SampleCloud> cloud;
  std::string column{}, where{};         ///< see PointLook; each may be empty
  std::vector<OutlinedPlaces> within{};  ///< those whose samples are the cloud

  friend bool operator==(const PointJob&, const PointJob&) = default;
};

/// Samples of a cloud that are shown, ascending, and a value of each, or none.
struct ShownPoints {
  std::vector<std::uint32_t> samples;
  std::vector<double> values{};
};

/// Throws an error about a condition or a column again, as one about `points_where` or
/// `points_color`.
[[noreturn]] void throw_about_points(const Error& error);

/// Reads the files of a cloud again, for the samples that fulfil the condition and have a value.
/// Throws what io::CloudStream throws, Error(usage) if the cloud came from standard input, and
/// Error(input) if its files have changed since.
ShownPoints find_points(const PointJob& job, Progress& progress);

}  // namespace skde::view
