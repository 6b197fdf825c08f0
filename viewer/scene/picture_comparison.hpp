#pragma once

#include <string>

#include "pictures/picture.hpp"

namespace skde::view {

/// The difference of two pictures in the red, green and blue channels (0..255).
struct PictureDifference {
  double mean = 0;     ///< over all pixels and channels
  int largest = 0;     ///< over all pixels and channels
  double changed = 0;  ///< share of pixels in which a channel differs by more than 16
};

/// Compares two pictures. Throws Error(input) if they differ in size.
PictureDifference compare_pictures(const Picture& a, const Picture& b);

/// Throws Error(output) that states the difference if its mean is above `threshold`, or what
/// read_png throws if `reference` cannot be read.
void require_alike(const Picture& picture, const std::string& reference, double threshold);

}  // namespace skde::view
