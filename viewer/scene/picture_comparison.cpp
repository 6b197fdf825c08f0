#include "viewer/scene/picture_comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "core/report/error.hpp"
#include "pictures/png_file.hpp"

namespace skde::view {
namespace {

constexpr int kVisible = 16;  // of 255: difference of a channel that counts as changed

}  // namespace

PictureDifference compare_pictures(const Picture& a, const Picture& b) {
  if (a.width != b.width || a.height != b.height)
    throw Error(ErrorKind::input,
                fmt::format("a picture of {}x{} cannot be compared with one of {}x{}; use --size",
                            a.width, a.height, b.width, b.height));
  PictureDifference difference;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    int worst = 0;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const int off = std::abs(int{a.pixels[i][channel]} - int{b.pixels[i][channel]});
      difference.mean += off;
      worst = std::max(worst, off);
    }
    difference.largest = std::max(difference.largest, worst);
    if (worst > kVisible) ++changed;
  }
  const auto pixels = static_cast<double>(std::max<std::size_t>(a.pixels.size(), 1));
  difference.mean /= 3 * pixels;
  difference.changed = static_cast<double>(changed) / pixels;
  return difference;
}

void require_alike(const Picture& picture, const std::string& reference, double threshold) {
  const PictureDifference difference = compare_pictures(picture, read_png(reference));
  if (difference.mean <= threshold) return;
  throw Error(ErrorKind::output,
              fmt::format("{}: the picture differs by {:.3g} of 255 on average (allowed: "
                          "{:.3g}), at most by {}, visibly in {:.2g} % of the pixels",
                          reference, difference.mean, threshold, difference.largest,
                          100 * difference.changed));
}

}  // namespace skde::view
