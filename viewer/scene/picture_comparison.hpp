#pragma once

#include <string>

#include "pictures/picture.hpp"

namespace skde::view {

/// How two pictures differ, in the channels red, green and blue (0..255).
struct PictureDifference {
  double mean = 0;     ///< over all pixels and channels
  int largest = 0;     ///< of a channel of a pixel
  double changed = 0;  ///< share of the pixels that differ by more than 16 in a channel
};

/// Throws Error(input) where the pictures have unlike sizes.
PictureDifference compare_pictures(const Picture& a, const Picture& b);

/// Throws Error(output) that tells the difference where its mean is above `threshold`; what
/// read_png throws where `reference` cannot be read.
void require_alike(const Picture& picture, const std::string& reference, double threshold);

}  // namespace skde::view
