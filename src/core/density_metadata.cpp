#include "core/density_metadata.hpp"

#include <fmt/core.h>

namespace skde {

bool is_histogram(const DensityMetadata& metadata, const Grid& grid) {
  constexpr double kThin = 1e-14;  // of the square of a cell; 1e-18 in histograms of skde
  return metadata.cells == CellValue::mean && metadata.samples > 0 && metadata.h == 0 &&
         metadata.H.xx < kThin * grid.spacing.x * grid.spacing.x;
}

std::string_view places_of_frame(std::string_view frame) {
  constexpr std::string_view kEllipsoid = " (WGS84)";
  const std::string_view places = frame.substr(0, frame.find(" of "));
  return places.ends_with(kEllipsoid) ? places.substr(0, places.size() - kEllipsoid.size())
                                      : places;
}

void require_density(const DensityMetadata& metadata, const std::string& owner) {
  if (!metadata.values.empty())
    throw Error(ErrorKind::input,
                fmt::format("{}the values are '{}' instead of a density", owner, metadata.values),
                {{}, "name a volume of skde density"});
}

std::optional<Warning> require_one_frame(const std::string& frame, const std::string& owner,
                                         const std::string& other_frame,
                                         const std::string& other_owner) {
  const std::string_view places = places_of_frame(frame), others = places_of_frame(other_frame);
  if (places == others) return {};
  if (places.empty() || others.empty())
    return Warning{
        "frame",
        fmt::format("{} is in the frame {}, and {} states none; equal numbers count as "
                    "one place",
                    places.empty() ? other_owner : owner, places.empty() ? others : places,
                    places.empty() ? owner : other_owner),
        {"geographic", "convert both with the same `geographic`"}};
  throw Error(ErrorKind::input,
              fmt::format("{} is in another frame than {}: {} instead of {}", owner, other_owner,
                          places, others),
              {"geographic", "convert both with the same `geographic`, such as tangent:LON:LAT"});
}

}  // namespace skde
