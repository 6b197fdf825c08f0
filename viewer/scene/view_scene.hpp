#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "estimate/values/density.hpp"
#include "viewer/layers/method/method_layer.hpp"
#include "viewer/layers/volume/density_transfer.hpp"
#include "viewer/scene/probe.hpp"
#include "viewer/scene/view_parts.hpp"
#include "viewer/scene/view_state.hpp"
#include "viewer/scene/volume_view.hpp"

namespace skde {

struct PlannedDensity;
struct WorkerResult;

}  // namespace skde

namespace skde::view {

struct FitJob;

struct Comparison;  // viewer/work/live_answers.hpp

/// Returns the colour map of differences and ratios: that of the state, if it diverges.
ColorMap diverging_colors(const ViewState& state);

/// Draws the comparison of two densities: the second one beside the first, their difference or
/// ratio.
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

/// Settings of a frame besides the state.
struct FrameSettings {
  bool moving = false;  ///< draws coarser, to keep up with the user
  float scale = 1;      ///< of the display
  glm::vec3 ground = kDarkInks.ground;
  Inks inks = kDarkInks;   ///< of lines and letters of the volume
  bool rear_only = false;  ///< leaves out the lines before the volume
};

/// A density with its samples, and the layers that show them. It belongs to the thread of the GL
/// context.
class ViewScene {
 public:
  ViewScene(int device, bool interop) : transfer(device, interop) {}

  /// Takes the worker's result and adapts the state: the colours' axis follows the density if it
  /// should, and the chosen sample exists. Throws Error(resources) if the card cannot hold the
  /// volume; what was shown before stays. The axis and opacities stay too unless they
  /// `may_follow`.
  void show(WorkerResult result, ViewState& state, bool may_follow = true);
  /// Ends the colours' axis at the peak of the density, if that is above 0; of two densities side
  /// by side, at the higher peak.
  void fit_axis(ViewState& state) const;
  /// Gives the opacities by the mass of the density, if they follow it.
  void fit_opacities(ViewState& state) const;
  /// Shows the samples in the box that the density will have. Requires that there is no density.
  void show_planned(PlannedDensity planned, ViewState& state);
  /// Shows nothing again.
  void forget_planned(ViewState& state);
  /// Shows what the density was compared with, or the difference or ratio. Throws Error(resources)
  /// if the card cannot hold it.
  void show_compared(Comparison comparison, CompareAs as, ViewState& state);
  void forget_compared(ViewState& state);

  bool has_density() const { return density_.has_value(); }
  /// Requires has_density(). The density's value buffer has been returned to the engine.
  const Density& density() const { return *density_; }
  const std::shared_ptr<const SampleCloud>& cloud() const { return view.points.cloud(); }
  /// Returns the grid of the density, or of the planned one; null if there is neither.
  const Grid* grid() const {
    return density_ ? &density_->grid() : planned_ ? &*planned_ : nullptr;
  }
  /// Returns the h of the density, or of the planned one; 0 if there is none.
  double h() const { return density_ ? density_->metadata.h : planned_h_; }
  /// Returns a volume file's own axis texts; for a cloud, those of the state or of its columns.
  AxisTexts axis_texts(const ViewState& state) const;
  /// Returns whether samples are drawn in the volume's part: if the state says so, and before the
  /// first density.
  bool draws_points(const ViewState& state) const { return state.show_points || planned_; }
  /// Returns the view in the volume's part: that of the density, or of a difference or ratio.
  const VolumeView& seen() const { return compared.axis() ? *compared.view() : view; }
  /// Returns the slices that chop keeps of the state's sample; empty without a cloud.
  IndexRange reached_slices(const ViewState& state);
  /// Returns the readings of the state's pins; they are kept while neither pins nor density change.
  const std::vector<ProbeReading>& pin_readings(const ViewState& state);

  /// Draws the views into their parts of the target and the background into the rest.
  void draw(const gl::Framebuffer& target, const PixelRegion& region, const ViewState& state,
            const FrameSettings& settings);

  DensityTransfer transfer;
  VolumeView view;
  MethodLayer method;
  ComparedLayer compared;
  float full_share = 0;           ///< see MethodLook
  std::optional<TimeRange> time;  ///< that is shown, within all times; none if all rows are

 private:
  void take_samples(std::shared_ptr<const SampleCloud> cloud, ViewState& state);

  gl::PictureCopies copies_;
  std::optional<Density> density_;
  std::optional<Grid> planned_;  ///< until there is a density
  double planned_h_ = 0;
  std::vector<ProbeReading> pins_;
  int pins_of_ = 0;  ///< version of the density that was read
};

/// Shows only these samples, with their values; all if null. `of_b` are those of the density
/// beside.
void show_points(ViewScene& scene, std::shared_ptr<const ShownPoints> points,
                 std::shared_ptr<const ShownPoints> of_b);
/// Returns true if each sample has its own H, so that there is no common one. Requires
/// has_density().
bool has_own_kernels(const ViewScene& scene);
/// Returns whether the box is drawn as a cube.
bool is_stretched(const ViewScene& scene, const ViewState& state);
/// Returns the axes that are drawn in the opposite direction.
std::array<bool, 3> drawn_flips(const ViewScene& scene, const ViewState& state);
/// Returns the camera that the samples, or a volume's box, are first seen with.
Camera first_camera(const ViewScene& scene, const ViewState& state);
/// Requires has_density().
MethodLook method_look(const ViewScene& scene, const ViewState& state);
/// Goes on to the next slice of the chosen sample; after its last one, to the first slice of the
/// next sample, and after the last sample to the first one. Does nothing without samples.
void step_method(ViewState& state, ViewScene& scene);
/// Returns the density that is shown, with what is known of its kernel and samples. Requires
/// has_density().
FitJob fit_job(const ViewScene& scene);

/// Returns the place (world units) that the last frame shows at a pixel: in a flat section, or in
/// the volume, see Raymarcher::place_at.
std::optional<Vec3> place_at(ViewScene& scene, const ViewState& state, const ViewParts& parts,
                             glm::dvec2 pixel, float scale);
/// Returns what is known of a place. Requires has_density().
ProbeReading read_place(const ViewScene& scene, Vec3 place);
ProbeTexts probe_texts(const ViewScene& scene, const ViewState& state);
/// Returns the cell where the sections meet, and its density.
SectionReading read_sections(ViewScene& scene, const ViewState& state);
/// Returns the pixels of the state's pins in a part; none for those behind the eye.
std::vector<std::optional<glm::dvec2>> pin_pixels(const ViewState& state, const ScenePart& part);

}  // namespace skde::view
