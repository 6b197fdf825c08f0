#pragma once

#include "viewer/gl/objects.hpp"
#include "viewer/layers/method/method_picture.hpp"
#include "viewer/layers/method/shape_batch.hpp"

namespace skde::view {

/// Draws how sample-wise estimation processes a sample: see method_picture.hpp.
class MethodView {
 public:
  /// Sets the slices to draw from now on.
  void show(SampleSlices slices) { slices_ = std::move(slices); }
  const SampleSlices& slices() const { return slices_; }

  /// Draws the method in a region of the target; `scale` is that of the display.
  void draw(const gl::Framebuffer& target, const PixelRegion& region, const MethodLook& look,
            float scale = 1) {
    MethodPicture picture = method_picture(slices_, region, look, scale);
    batch_.draw(picture.shapes, target);
    labels_ = std::move(picture.labels);
  }
  void forget_labels() { labels_.clear(); }
  /// Texts of the last picture, in pixels of its target.
  const std::vector<SliceLabel>& labels() const { return labels_; }

 private:
  SampleSlices slices_;
  ShapeBatch batch_;
  std::vector<SliceLabel> labels_;
};

}  // namespace skde::view
