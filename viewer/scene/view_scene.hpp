#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "estimate/worker.hpp"
#include "viewer/gl/picture_copies.hpp"
#include "viewer/layers/method/method_look.hpp"
#include "viewer/layers/method/slice_view.hpp"
#include "viewer/layers/samples/shown_points.hpp"
#include "viewer/layers/volume/density_transfer.hpp"
#include "viewer/layers/volume/value_counts.hpp"
#include "viewer/layers/volume/volume_histogram.hpp"
#include "viewer/scene/probe.hpp"
#include "viewer/scene/section_maps.hpp"
#include "viewer/scene/view_parts.hpp"
#include "viewer/scene/view_state.hpp"
#include "viewer/scene/volume_view.hpp"
#include "viewer/work/compare_state.hpp"
#include "viewer/work/fit_worker.hpp"

namespace skde::view {

struct Comparison;  // viewer/work/compared_density.hpp

/// Returns the colour map of differences and ratios: that of the state, if it diverges.
ColorMap diverging_colors(const ViewState& state);

/// Settings of a frame besides the state.
struct FrameSettings {
  bool moving = false;  ///< draws coarser, to keep up with the user
  float scale = 1;      ///< of the display
  glm::vec3 ground = kDarkInks.ground;
  Inks inks = kDarkInks;   ///< of lines and letters of the volume
  bool rear_only = false;  ///< leaves out the lines before the volume
};

/// Where the sections meet.
struct SectionReading {
  Vec3 at{};
  std::array<std::int64_t, 3> cell{};
  double density = 0;  ///< of this cell
};

/// The samples that are selected.
struct SelectionFacts {
  std::size_t samples = 0;
  double share = 0;  ///< of the mass of all samples
};

/// What is shown: the samples, their density on the graphics card, and two views of them. It
/// belongs to the thread of the GL context.
class ViewScene {
 public:
  ViewScene(int device, bool interop) : transfer_(device, interop) {}

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
  bool has_density() const { return density_.has_value(); }
  /// Returns the grid of the density, or of the planned one; null if there is neither.
  const Grid* grid() const {
    return density_ ? &density_->grid() : planned_ ? &planned_->grid : nullptr;
  }
  /// Returns the h of the density, or of the planned one; 0 if there is none.
  double h() const { return density_ ? density_->metadata.h : planned_ ? planned_->h : 0; }
  /// Returns whether samples are drawn in the volume's part: if the state says so, and before the
  /// first density.
  bool draws_points(const ViewState& state) const { return state.show_points || planned_; }
  /// Requires has_density(). The density's value buffer has been returned to the engine.
  const Density& density() const { return *density_; }
  const std::shared_ptr<const SampleCloud>& cloud() const { return samples_.cloud; }
  /// Returns the samples of the density beside; null if there is none.
  const std::shared_ptr<const SampleCloud>& compared_cloud() const {
    return compared_samples_.cloud;
  }
  /// Returns the grid of the picture: that of the density, or a coarser one if the card has no room
  /// for that. Requires has_density().
  const Grid& grid_drawn() const { return volume_.texture().grid(); }
  /// Returns true if each sample has its own H, so that there is no common one. Requires
  /// has_density().
  bool has_own_kernels() const;
  /// Returns the invalid values of a volume file; a cloud's density has none.
  const ValueCounts& value_counts() const { return value_counts_; }
  /// Returns a volume file's own axis texts; for a cloud, those of the state or of its columns.
  AxisTexts axis_texts(const ViewState& state) const;
  const Histogram& histogram() const { return histogram_; }
  /// Returns how the mass is spread over the densities. Requires has_density().
  const std::shared_ptr<const MassProfile>& masses_by_density() const { return mass_profile_; }
  /// Returns the regions that the state's nested surfaces enclose, in the order of its masses;
  /// those that hold more than the box does are left out.
  std::vector<MassRegion> surfaces(const ViewState& state) const {
    return surfaces(state, *mass_profile_);
  }
  /// Returns those of the density beside; empty if there is none.
  std::vector<MassRegion> compared_surfaces(const ViewState& state) const {
    return surfaces(state, compared_masses_);
  }
  /// Returns how the mass of the density beside is spread.
  const MassProfile& compared_masses() const { return compared_masses_; }
  /// Returns the middle of the cell with the largest finite value. Requires has_density().
  Vec3 peak_place();
  double peak() const { return volume_.bricks().positive_range().greatest; }
  const DensityTransfer& transfer() const { return transfer_; }
  double march_seconds() { return volume_.march_seconds(); }

  /// Draws the views into their parts of the target and the background into the rest.
  void draw(const gl::Framebuffer& target, const PixelRegion& region, const ViewState& state,
            const FrameSettings& settings);
  /// Texts of the last frame. Those of the volume are in pixels of its part, the others in pixels
  /// of the target.
  const std::vector<SceneLabel>& volume_labels() const { return volume_labels_; }
  const std::vector<SceneLabel>& compared_labels() const { return compared_labels_; }
  const std::vector<PixelLine>& volume_lines() const {
    return compared_axis() ? compared_->pixel_lines() : volume_.pixel_lines();
  }
  /// Returns how many of the lines, the first ones, lie behind the volume.
  std::size_t rear_lines() const {
    return compared_axis() ? compared_->rear_lines() : volume_.rear_lines();
  }
  const std::vector<SliceLabel>& method_labels() const { return method_.labels(); }

  /// Returns the slices of the chosen sample; null without a cloud.
  const SampleSlices* slices() const { return slices_of_ ? &method_.slices() : nullptr; }
  /// Returns the slices that chop keeps of the state's sample; empty without a cloud.
  IndexRange reached_slices(const ViewState& state);
  /// Requires has_density().
  MethodLook method_look(const ViewState& state) const;
  /// Shows only these samples, with their values; all if null. `of_b` are those of the density
  /// beside.
  void show_points(std::shared_ptr<const ShownPoints> points,
                   std::shared_ptr<const ShownPoints> of_b = {}) {
    samples_.shown = std::move(points);
    compared_samples_.shown = std::move(of_b);
  }
  const std::shared_ptr<const ShownPoints>& points() const { return samples_.shown; }
  /// Returns the places whose picture in the volume's part lies within an outline, in pixels of the
  /// frame.
  OutlinedPlaces outlined(const ViewState& state, const PixelRegion& volume,
                          std::span<const glm::dvec2> pixels, float scale) const;
  /// Returns the state's selection as it lies on the volume's part; empty if it was made from
  /// another viewpoint.
  std::vector<glm::dvec2> selection_pixels(const ViewState& state, const PixelRegion& volume,
                                           float scale) const;
  /// Counts the samples that are shown and selected.
  SelectionFacts selection_facts(const ViewState& state);
  /// Returns the axis of the samples' colours, and what it measures; none if these are plain or
  /// those of the density.
  struct PointAxis {
    ValueAxis axis;
    std::string name;
  };
  std::optional<PointAxis> point_axis(const ViewState& state) const;
  /// Returns the categories that the samples' colours tell; empty if they tell none.
  std::span<const PointCategory> point_categories(const ViewState& state) const;
  /// Returns the axis of the samples' sizes, and what it measures; none if these are alike.
  std::optional<PointAxis> size_axis(const ViewState& state) const;
  /// Returns how the sections are drawn on their parts.
  std::array<SectionMap, 3> section_maps(const std::array<PixelRegion, 3>& parts,
                                         float scale) const {
    return view::section_maps(parts, volume_.frame(), scale);
  }
  /// Returns the cell where the sections meet, and its density.
  SectionReading read_sections(const ViewState& state);
  /// Returns the sample nearest to a pixel of the volume's part; none if all are too far away.
  std::optional<std::size_t> pick(const ViewState& state, const PixelRegion& volume,
                                  glm::dvec2 pixel, float scale) const;
  /// Returns the mixture whose members can be shown: the fitted one, or else the samples if they
  /// have shapes; empty if there is none.
  const SamplesView& members() const { return volume_.ellipsoids().members(); }
  const ValueAxis& masses() const { return volume_.ellipsoids().masses(); }
  /// Returns how members are shown: as the state says, if there are any.
  EllipsoidsShown ellipsoids_shown(const ViewState& state) const {
    return members().size() > 0 ? state.ellipsoids : EllipsoidsShown::off;
  }
  /// Shows the members of a mixture that was fitted to the density, until forget_fitted().
  void show_fitted(Mixture mixture);
  void forget_fitted();
  /// Returns true if the members are the samples, with the same indices.
  bool members_are_samples() const { return !fitted_ && members().size() > 0; }
  /// Returns the place (world units) that the last frame shows at a pixel: in a flat section, or in
  /// the volume, see Raymarcher::place_at.
  std::optional<Vec3> place_at(const ViewState& state, const ViewParts& parts, glm::dvec2 pixel,
                               float scale);
  /// Returns what is known of a place. Requires has_density().
  ProbeReading read(Vec3 place) const;
  /// Returns the readings of the state's pins; they are kept while neither pins nor density change.
  const std::vector<ProbeReading>& pin_readings(const ViewState& state);
  ProbeTexts probe_texts(const ViewState& state) const;
  /// Returns the pixels of the state's pins in the volume's part; none for those behind the eye.
  std::vector<std::optional<glm::dvec2>> pin_pixels(const ViewState& state,
                                                    const PixelRegion& volume, float scale) const;
  /// Returns the member whose ellipsoid is seen at a pixel of the volume's part; none if there is
  /// none.
  std::optional<std::size_t> pick_member(const ViewState& state, const PixelRegion& volume,
                                         glm::dvec2 pixel, float scale) const;
  /// Returns the density that is shown, with what is known of its kernel and samples. Requires
  /// has_density().
  FitJob fit_job() const;

  /// Returns the radius of what the camera shows at zoom 1 in a part of size `volume`.
  double radius(glm::ivec2 volume, float scale) const {
    return volume_.fitted_radius(volume, label_room(volume, scale));
  }
  const VolumeTexture& texture() { return volume_.texture(); }
  /// Returns the window of time that is shown, within all times; none if all rows are shown.
  const std::optional<TimeRange>& time() const { return time_; }
  /// Counts the densities that were shown.
  int version() const { return volume_.bricks().version(); }

  /// Shows what the density was compared with, or the difference or ratio. Throws Error(resources)
  /// if the card cannot hold it.
  void show_compared(Comparison comparison, CompareAs as, ViewState& state);
  void forget_compared(ViewState& state);
  /// Counts the comparisons that were shown or forgotten.
  int compared_version() const { return compared_version_; }
  /// Returns the axis of the difference or ratio that is shown, symmetric about 0; none if none is.
  std::optional<ValueAxis> compared_axis() const;
  /// Returns what was compared; null if there is none.
  const VolumeView* compared() const { return compared_.get(); }
  const SceneFrame& frame() const { return volume_.frame(); }

  float full_share = 0;  ///< see MethodLook

 private:
  /// The samples of one of the views.
  struct ViewSamples;

  std::vector<MassRegion> surfaces(const ViewState& state, const MassProfile& masses) const;
  /// Returns the look of a volume with this spread of its mass.
  VolumeLook look_of(const ViewState& state, const MassProfile& masses) const;
  void keep_sample(ViewState& state) const;
  void take_samples(std::shared_ptr<const SampleCloud> cloud, ViewState& state);
  void update_slices(const ViewState& state);
  /// Returns whether the box is drawn as a cube.
  bool is_stretched(const ViewState& state) const;
  /// Sets proportions and directions of the axes.
  void set_axes(VolumeView& view, const ViewState& state) const;
  VolumeLook compared_look(const ViewState& state) const;
  /// Returns what the views of the density and of another one have in common.
  VolumeViewOptions frame_options(const ViewState& state, const FrameSettings& settings) const;
  /// Draws a view into a picture of the part's size, coarser while things move, and copies it.
  void draw_view(VolumeView& view, std::optional<gl::Framebuffer>& picture,
                 const gl::Framebuffer& target, const PixelRegion& part, const ViewState& state,
                 const FrameSettings& settings, VolumeLook look, VolumeViewOptions options);
  /// Draws the difference or ratio instead of the density, or the other density beside it.
  void draw_compared(const gl::Framebuffer& target, const PixelRegion& part, const ViewState& state,
                     const FrameSettings& settings);
  void draw_volume(const gl::Framebuffer& target, const PixelRegion& part, const ViewState& state,
                   const FrameSettings& settings);
  /// Makes a layer of samples anew where it depends on what has changed.
  void update_points(const ViewState& state, ViewSamples& samples, VolumeView& view) const;
  /// Returns the samples' own colours; empty if they have none.
  std::vector<glm::vec3> own_colors(const ViewState& state, const ViewSamples& samples) const;
  /// Returns the place at a pixel of a flat section.
  std::optional<Vec3> flat_place_at(const ViewState& state, const ViewParts& parts,
                                    glm::dvec2 pixel, float scale) const;
  /// Returns where a pixel's ray first meets a section in the volume.
  std::optional<Vec3> plane_place_at(const ViewState& state, const PixelRegion& volume,
                                     glm::dvec2 pixel, float scale) const;
  void draw_sections(const gl::Framebuffer& target, const std::array<PixelRegion, 3>& parts,
                     VolumeView& view, const VolumeLook& look, const ViewState& state,
                     const FrameSettings& settings) const;
  /// Adds the share of the mass in the box to the labels of a part of this size. `whose` is empty
  /// unless there are two densities.
  void add_mass(std::vector<SceneLabel>& labels, double share, const std::string& whose,
                glm::ivec2 size, const ViewState& state, const FrameSettings& settings) const;
  /// Adds the masses of the surfaces in a view's last picture.
  void name_surfaces(std::vector<SceneLabel>& labels, VolumeView& view,
                     const gl::Framebuffer& picture, const MassProfile& masses,
                     const ViewState& state, const FrameSettings& settings) const;
  void draw_method(const gl::Framebuffer& target, const PixelRegion& part, const ViewState& state,
                   const FrameSettings& settings);

  DensityTransfer transfer_;
  gl::PictureCopies copies_;
  VolumeView volume_;
  MethodView method_;
  Histogram histogram_;
  std::shared_ptr<const MassProfile> mass_profile_ = std::make_shared<const MassProfile>();
  ValueCounts value_counts_;
  std::optional<Density> density_;
  std::optional<PlannedDensity> planned_;  ///< until there is a density
  ValueAxis weight_axis_;                  ///< of its samples
  std::optional<TimeRange> time_;
  std::optional<Mixture> fitted_;         ///< to the density of these samples or this file
  std::optional<std::size_t> slices_of_;  ///< sample of the density that is shown
  std::vector<ProbeReading> pins_;
  int pins_of_ = 0;  ///< version of the density that was read
  /// The inputs of the layer of samples, which is made again when one of them changes.
  struct PointsMade {
    std::shared_ptr<const SampleCloud> cloud;
    std::shared_ptr<const ShownPoints> points;
    PointColors colors{}, sizes{};
    ColorMap map{};
    std::optional<OutlinedPlaces> selection{};
    bool made = false;
    friend bool operator==(const PointsMade&, const PointsMade&) = default;
  };
  /// What the selected samples depend on.
  struct SelectionMade {
    std::shared_ptr<const SampleCloud> cloud;
    std::shared_ptr<const ShownPoints> points;
    OutlinedPlaces selection;
    Clip clip;
    friend bool operator==(const SelectionMade&, const SelectionMade&) = default;
  };
  std::optional<SelectionMade> selection_made_;
  SelectionFacts selected_;
  struct ViewSamples {
    std::shared_ptr<const SampleCloud> cloud;
    std::shared_ptr<const ShownPoints> shown;  ///< of them; all if null
    PointsMade made;
    std::vector<double> places;  ///< x, y, z of those that are shown, if not all are

    SamplesView view() const;
    double weight(std::size_t i) const;
    /// Returns the weight or the column's value of each; nothing for other quantities.
    std::vector<double> values(PointColors told, std::vector<double> ShownPoints::*column) const;
  };
  ViewSamples samples_, compared_samples_;
  SectionReading sections_;
  int sections_of_ = 0;  ///< likewise
  std::optional<gl::Framebuffer> volume_picture_, compared_picture_;
  std::unique_ptr<VolumeView> compared_;  ///< another density, a difference or a ratio
  CompareAs compared_as_ = CompareAs::side;
  double compared_most_ = 0;  ///< greatest absolute value of it
  MassProfile compared_masses_;
  int compared_version_ = 0;
  std::vector<SceneLabel> volume_labels_, compared_labels_;
};

}  // namespace skde::view
