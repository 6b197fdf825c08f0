#pragma once

#include <memory>
#include <optional>

#include "viewer/scene/view_state.hpp"
#include "viewer/scene/volume_view.hpp"

namespace skde::view {

struct Comparison;  // viewer/work/compared_density.hpp

/// Returns the colour map of differences and ratios: that of the state, if it diverges.
ColorMap diverging_colors(const ViewState& state);

/// What the density is compared with: another one beside it, or their difference or ratio.
class ComparedLayer {
 public:
  /// Throws Error(resources) if the card cannot hold it.
  void show(Comparison comparison, CompareAs as, DensityTransfer& transfer);
  void forget();
  /// Returns the view of it; null if there is none.
  VolumeView* view() { return view_.get(); }
  const VolumeView* view() const { return view_.get(); }
  /// Returns the samples of the density beside; null if there are none.
  std::shared_ptr<const SampleCloud> cloud() const {
    return view_ ? view_->points.cloud() : nullptr;
  }
  /// Counts the comparisons that were shown or forgotten.
  int version() const { return version_; }
  /// Returns the axis of a difference or ratio, symmetric about 0; none if none is shown.
  std::optional<ValueAxis> axis() const;
  /// Returns the peak of the density beside; 0 if there is none.
  double peak() const { return view_ && as_ == CompareAs::side ? most_ : 0; }
  /// Requires view().
  VolumeLook look(const ViewState& state) const;

 private:
  std::unique_ptr<VolumeView> view_;
  CompareAs as_ = CompareAs::side;
  double most_ = 0;  ///< greatest absolute value
  int version_ = 0;
};

}  // namespace skde::view
