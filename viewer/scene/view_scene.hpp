#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "estimate/worker.hpp"
#include "viewer/method/method_look.hpp"
#include "viewer/method/slice_view.hpp"
#include "viewer/session/view_state.hpp"
#include "viewer/volume/density_transfer.hpp"
#include "viewer/volume/value_counts.hpp"
#include "viewer/volume/volume_histogram.hpp"
#include "viewer/volume/volume_view.hpp"

namespace skde::view {

/// Where the two views lie on a picture; a view that is not shown has no size.
struct ViewParts {
  PixelRegion method, volume;
  PixelRegion
      bar;  ///< the column of the scalar bar, right of the volume; none where that is narrow
};
ViewParts view_parts(ViewLayout layout, const PixelRegion& region, float scale);

/// How a frame is drawn, besides the state.
struct FrameSettings {
  bool moving = false;  ///< coarser, so that it keeps up with the hand
  float scale = 1;      ///< of the display
};

/// What is shown: the samples, their density on the graphics card, and the two views of them.
/// Belongs to the thread of the GL context.
class ViewScene {
 public:
  ViewScene(int device, bool interop) : transfer_(device, interop) {}

  /// Takes in what the worker has computed, and makes the state fit: the colours' axis follows the
  /// density where it is to, and the chosen sample exists. Throws Error(resources) where the card
  /// cannot hold the volume; what was shown before stays.
  void show(WorkerResult result, ViewState& state);
  bool has_density() const { return density_.has_value(); }
  /// Its buffer has been given back. Only where has_density().
  const Density& density() const { return *density_; }
  const std::shared_ptr<const SampleCloud>& cloud() const { return cloud_; }
  /// Each sample has an H of its own, beside which there is no common one. Only where
  /// has_density().
  bool has_own_kernels() const;
  /// Of a volume file; a cloud's density has no odd values.
  const ValueCounts& value_counts() const { return value_counts_; }
  /// Of a volume file as it says itself, of a cloud as the state says, or else its columns.
  AxisTexts axis_texts(const ViewState& state) const;
  const Histogram& histogram() const { return histogram_; }
  double peak() const { return volume_.bricks().positive_range().greatest; }
  const DensityTransfer& transfer() const { return transfer_; }
  double march_seconds() { return volume_.march_seconds(); }

  /// Draws the views into their parts of the target, and their background into the rest.
  void draw(const gl::Framebuffer& target, const PixelRegion& region, const ViewState& state,
            const FrameSettings& settings);
  /// Texts of the last frame: those of the volume in pixels of its part, the others in pixels of
  /// the target.
  const std::vector<SceneLabel>& volume_labels() const { return volume_labels_; }
  const std::vector<PixelLine>& volume_lines() const { return volume_.pixel_lines(); }
  const std::vector<SliceLabel>& method_labels() const { return method_labels_; }

  /// The slices of the chosen sample; null without a cloud.
  const SampleSlices* slices() const { return slices_of_ ? &method_.slices() : nullptr; }
  /// Those that chop leaves of the state's sample; empty without a cloud.
  IndexRange reached_slices(const ViewState& state);
  MethodLook method_look(const ViewState& state) const;
  /// The sample nearest to a pixel of the volume's part; none beside all samples.
  std::optional<std::size_t> pick(const ViewState& state, const PixelRegion& volume,
                                  glm::dvec2 pixel, float scale) const;
  /// Of what the camera shows at zoom 1 in a part of that size.
  double radius(glm::ivec2 volume, float scale) const {
    return volume_.fitted_radius(volume, label_room(volume, scale));
  }
  const VolumeTexture& texture() { return volume_.texture(); }

  Camera method_camera;  ///< of the stack of slices
  float full_share = 1;  ///< how far the full slices show, between 0 and 1

 private:
  void update_slices(const ViewState& state);
  void draw_volume(const gl::Framebuffer& target, const PixelRegion& part, const ViewState& state,
                   const FrameSettings& settings);
  void draw_method(const gl::Framebuffer& target, const PixelRegion& part, const ViewState& state,
                   const FrameSettings& settings);

  DensityTransfer transfer_;
  VolumeView volume_;
  MethodView method_;
  VolumeHistogram histogram_counter_;
  Histogram histogram_;
  ValueCounts value_counts_;
  std::optional<Density> density_;
  std::shared_ptr<const SampleCloud> cloud_;
  std::optional<std::size_t> slices_of_;  ///< sample of the density that is shown
  std::optional<gl::Framebuffer> volume_picture_;
  std::vector<SceneLabel> volume_labels_;
  std::vector<SliceLabel> method_labels_;
};

}  // namespace skde::view
