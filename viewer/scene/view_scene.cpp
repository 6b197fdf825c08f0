#include "viewer/scene/view_scene.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/kernel/sample_shapes.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "viewer/layers/samples/ellipsoid_layer.hpp"
#include "viewer/layers/volume/mass_opacities.hpp"
#include "viewer/scene/method_steps.hpp"

namespace skde::view {
namespace {

constexpr double kMovingQuality = 0.5;  // samples per cell and pixels per side, while things move
constexpr double kPickWithin = 12;      // pixels at scale 1
constexpr double kRoomForMass = 180;    // pixels at scale 1: width for a short text
const glm::dvec2 kMassMargin{8, 14};    // pixels at scale 1

bool has_unlike_edges(const Grid& grid) {
  const Vec3 edges = grid.bounds().extent();
  return std::max({edges.x, edges.y, edges.z}) >
         kUnlikeEdges * std::min({edges.x, edges.y, edges.z});
}

bool is_shown(const PixelRegion& part) { return part.size.x > 0 && part.size.y > 0; }

}  // namespace

void ViewScene::fit_axis(ViewState& state) const {
  double highest = peak();
  if (compared_ && compared_as_ == CompareAs::side) highest = std::max(highest, compared_most_);
  if (highest > 0) state.transfer.axis = axis_up_to(highest, state.transfer.axis.logarithmic);
  fit_opacities(state);
}

void ViewScene::fit_opacities(ViewState& state) const {
  if (!state.transfer.follows_mass || !density_) return;
  const Vec3 box = density_->grid().bounds().extent();
  state.transfer.follow_mass(
      opacities_by_mass(*mass_profile_, state.transfer.axis, box.x * box.y * box.z));
}

void ViewScene::show(WorkerResult result, ViewState& state, bool may_follow) {
  if (!result.density) return;
  histogram_ = transfer_.fill(*result.density->values(), volume_.texture(), volume_.bricks());
  value_counts_ = {};
  if (const Volume* const file = result.cloud ? nullptr : result.density->values()->on_host())
    value_counts_ = count_values(*file);
  result.density->values() = {};  // the texture holds the values now; the engine may reuse the
                                  // buffer
  density_ = std::move(result.density);
  planned_.reset();
  time_ = result.time;
  volume_.volume_changed();
  const DensityMetadata& about = density_->metadata;
  const bool told = about.samples > 0 && about.mass_in_box > 0;
  mass_profile_ = std::make_shared<const MassProfile>(
      histogram_, volume_.texture().grid().cell_volume(), told ? about.mass_in_box : 1);
  if (cloud() != result.cloud) take_samples(std::move(result.cloud), state);
  if (state.axis_follows_density && may_follow) fit_axis(state);
  if (may_follow) fit_opacities(state);
  keep_sample(state);
  slices_of_.reset();
}

void ViewScene::show_planned(PlannedDensity planned, ViewState& state) {
  if (cloud() != planned.cloud) take_samples(planned.cloud, state);
  keep_sample(state);
  time_ = planned.time;
  volume_.set_box(planned.grid.bounds());
  planned_ = std::move(planned);
}

void ViewScene::forget_planned(ViewState& state) {
  planned_.reset();
  time_.reset();
  volume_.set_box(std::nullopt);
  take_samples(nullptr, state);
}

/// Keeps the chosen sample among those that there are.
void ViewScene::keep_sample(ViewState& state) const {
  const std::int64_t samples = cloud() ? static_cast<std::int64_t>(cloud()->points.size()) : 1;
  state.sample = std::clamp<std::int64_t>(state.sample, 0, std::max<std::int64_t>(samples - 1, 0));
}

void ViewScene::take_samples(std::shared_ptr<const SampleCloud> cloud, ViewState& state) {
  samples_.cloud = std::move(cloud);
  samples_.shown.reset();  // of another cloud
  const SamplesView points = samples_.cloud ? samples_.cloud->points : SamplesView();
  weight_axis_ = mass_axis(points);
  if (fitted_) return;
  volume_.set_members(points);
  if (state.member >= static_cast<std::int64_t>(members().size())) state.member = -1;
}

void ViewScene::show_fitted(Mixture mixture) {
  fitted_ = std::move(mixture);
  volume_.set_members(fitted_->members.view());
}

void ViewScene::forget_fitted() {
  if (!std::exchange(fitted_, std::nullopt)) return;
  volume_.set_members(cloud() ? cloud()->points : SamplesView());
}

FitJob ViewScene::fit_job() const {
  FitJob job{volume_.texture().read_back()};
  const DensityMetadata& about = density_->metadata;
  const bool is_shared = cloud() && !cloud()->points.shaped() && about.adaptive == 0;
  if (is_shared && is_positive_definite(about.H)) job.kernel = about.kernel->variance * about.H;
  if (cloud() && !about.sharpened) {
    job.samples = cloud()->points;
    job.owner = cloud();
  }
  return job;
}

void ViewScene::update_slices(const ViewState& state) {
  if (!cloud() || !density_ || cloud()->points.size() == 0) {
    slices_of_.reset();
    return;
  }
  const auto wanted = static_cast<std::size_t>(state.sample);
  if (slices_of_ == wanted) return;
  const DensityFacts& facts = density_->facts();
  const SampleShape shape =
      SampleShapes(facts.kernel, facts.grid, facts.min_width).of(cloud()->points, wanted);
  SampleSlices slices = slice_sample(shape.ellipsoid, facts.grid, cloud()->points.point(wanted));
  slices.function = facts.kernel.function;
  slices.cut = facts.kernel.cut();
  method_.show(std::move(slices));
  slices_of_ = wanted;
}

bool ViewScene::has_own_kernels() const {
  return cloud() && density_->facts().bandwidth.source == "samples";
}

std::vector<MassRegion> ViewScene::surfaces(const ViewState& state,
                                            const MassProfile& masses) const {
  std::vector<MassRegion> found;
  if (!density_ || state.mode != RenderMode::isosurface) return found;
  for (const double mass : state.masses)
    if (const auto region = masses.region(mass)) found.push_back(*region);
  return found;
}

AxisTexts ViewScene::axis_texts(const ViewState& state) const {
  if (!cloud() && !density_) return {{}, state.units};
  if (!cloud()) return {density_->metadata.axis_names, density_->metadata.units};
  DensityFacts named;
  named.columns = cloud()->columns;
  const DensityMetadata described = describe(named, state.units);
  return {described.axis_names, described.units};
}

IndexRange ViewScene::reached_slices(const ViewState& state) {
  update_slices(state);
  return slices() != nullptr ? slices()->z : IndexRange{};
}

bool ViewScene::is_stretched(const ViewState& state) const {
  return state.proportions == Proportions::fit || (state.proportions == Proportions::automatic &&
                                                   grid() != nullptr && has_unlike_edges(*grid()));
}

MethodLook ViewScene::method_look(const ViewState& state) const {
  MethodLook look;
  look.sample = static_cast<std::size_t>(state.sample);
  if (state.slice >= 0) look.slice = static_cast<std::int32_t>(state.slice);
  look.full_share = full_share;
  const AxisTexts texts = axis_texts(state);
  for (std::size_t axis = 0; axis < 3; ++axis) look.axes[axis] = texts.name(axis);
  const Vec3 cell = density_->grid().spacing;
  const SceneFrame frame(density_->grid().bounds(), is_stretched(state), state.flipped);
  look.cell = glm::dvec3(cell.x, cell.y, cell.z) / frame.unit();
  look.apart = state.method.apart;
  look.colors = state.transfer.colors;
  look.camera = state.method.camera;
  return look;
}

VolumeLook ViewScene::look_of(const ViewState& state, const MassProfile& masses) const {
  VolumeLook look = volume_look(state);
  for (const MassRegion& region : surfaces(state, masses)) look.surfaces.push_back(region.level);
  // Where the box holds less than all masses, no surface is drawn.
  if (density_ && look.surfaces.empty() && !state.masses.empty())
    look.surfaces.push_back(2 * std::max(peak(), compared_most_));
  return look;
}

void ViewScene::set_axes(VolumeView& view, const ViewState& state) const {
  view.set_axes(is_stretched(state), state.flipped,
                {state.axis_factors.x, state.axis_factors.y, state.axis_factors.z});
}

VolumeViewOptions ViewScene::frame_options(const ViewState& state,
                                           const FrameSettings& settings) const {
  VolumeViewOptions options;
  options.pixel_scale = settings.scale;
  options.background = settings.ground;
  options.inks = settings.inks;
  options.outline = state.appearance.axes;
  options.axes = state.appearance.triad;
  options.texts = axis_texts(state);
  options.points = draws_points(state);
  options.sections = state.sections;
  return options;
}

void ViewScene::draw_view(VolumeView& view, std::optional<gl::Framebuffer>& picture,
                          const gl::Framebuffer& target, const PixelRegion& part,
                          const ViewState& state, const FrameSettings& settings, VolumeLook look,
                          VolumeViewOptions options) {
  if (!picture || picture->size() != part.size) picture.emplace(part.size);
  if (settings.moving) {
    look.quality *= kMovingQuality;
    options.march.resolution = kMovingQuality;
  }
  view.draw(*picture, state.camera, look, options);
  const int bottom = target.size().y - part.corner.y - part.size.y;  // OpenGL's rows grow upwards
  copies_.copy(picture->color(), target.color(), {part.corner.x, bottom}, part.size);
}

void ViewScene::draw_volume(const gl::Framebuffer& target, const PixelRegion& part,
                            const ViewState& state, const FrameSettings& settings) {
  VolumeViewOptions options = frame_options(state, settings);
  options.rear_only = settings.rear_only;
  options.ellipsoids = ellipsoids_shown(state);
  options.mass_colors = mass_colors(state.transfer.colors);
  if (options.ellipsoids != EllipsoidsShown::off && state.member >= 0)
    options.member = static_cast<std::size_t>(state.member);
  set_axes(volume_, state);
  const bool marked = slices_of_ && state.show_slices && shows_method(state.layout);
  volume_.set_picked(marked ? std::optional(cloud()->points.point(*slices_of_)) : std::nullopt);
  volume_.set_ellipsoid(
      marked ? std::optional(world_matrix(method_.slices().ellipsoid, density_->grid()))
             : std::nullopt);
  volume_.set_lines(
      marked ? slice_marks(method_.slices(), method_look(state), density_->grid(), volume_.frame())
             : std::vector<LineSegment>());
  draw_view(volume_, volume_picture_, target, part, state, settings, look_of(state, *mass_profile_),
            std::move(options));
  volume_labels_ = volume_.labels();
  if (ellipsoids_shown(state) != EllipsoidsShown::alone)
    name_surfaces(volume_labels_, volume_, *volume_picture_, *mass_profile_, state, settings);
  if (density_)
    add_mass(volume_labels_, density_->metadata.mass_in_box, compared_ ? "A" : "", part.size, state,
             settings);
}

void ViewScene::add_mass(std::vector<SceneLabel>& labels, double share, const std::string& whose,
                         glm::ivec2 size, const ViewState& state,
                         const FrameSettings& settings) const {
  if (!state.appearance.mass || !(share > 0)) return;
  const auto scale = static_cast<double>(settings.scale);
  if (size.x < kRoomForMass * scale) return;
  const bool narrow = size.x < 2 * kRoomForMass * scale;
  const std::string of = !whose.empty() ? "of " + whose + " " : narrow ? "" : "of the mass ";
  labels.push_back({.pixel = glm::dvec2(size) - kMassMargin * scale,
                    .text = fmt::format("{:.3g} % {}in the box", 100 * share, of),
                    .color = settings.inks.line,
                    .aside = {-1, 0},
                    .certain = true});
}

void ViewScene::draw_compared(const gl::Framebuffer& target, const PixelRegion& part,
                              const ViewState& state, const FrameSettings& settings) {
  if (!compared_) return;
  set_axes(*compared_, state);
  draw_view(*compared_, compared_picture_, target, part, state, settings, compared_look(state),
            frame_options(state, settings));
  compared_labels_ = compared_->labels();
  name_surfaces(compared_labels_, *compared_, *compared_picture_, compared_masses_, state,
                settings);
  if (!compared_axis())
    return add_mass(compared_labels_, compared_masses_.in_box(), "B", part.size, state, settings);
  set_axes(volume_, state);
  volume_labels_ = compared_labels_;
  volume_picture_.reset();  // shows no density that could be probed
}

void ViewScene::draw_method(const gl::Framebuffer& target, const PixelRegion& part,
                            const ViewState& state, const FrameSettings& settings) {
  if (!slices_of_) return method_.forget_labels();
  MethodLook look = method_look(state);
  look.light = settings.inks == kLightInks;
  method_.draw(target, part, look, settings.scale);
}

void ViewScene::draw(const gl::Framebuffer& target, const PixelRegion& region,
                     const ViewState& state, const FrameSettings& settings) {
  copies_.fill(target.color(), glm::vec4(settings.ground, 1));
  volume_labels_.clear();
  update_slices(state);
  const ViewParts parts = view_parts(state, region, settings.scale);
  update_points(state, samples_, volume_);
  if (compared_) update_points(state, compared_samples_, *compared_);
  if (is_shown(parts.volume)) {
    if (compared_axis())
      draw_compared(target, parts.volume, state, settings);
    else
      draw_volume(target, parts.volume, state, settings);
  }
  if (is_shown(parts.compared)) draw_compared(target, parts.compared, state, settings);
  if (is_shown(parts.method)) draw_method(target, parts.method, state, settings);
  if (is_shown(parts.sections[0]) && density_)
    draw_sections(target, parts.sections, compared_axis() ? *compared_ : volume_,
                  compared_axis() ? compared_look(state) : look_of(state, *mass_profile_), state,
                  settings);
  if (is_shown(parts.compared_sections[0]) && compared_)
    draw_sections(target, parts.compared_sections, *compared_, compared_look(state), state,
                  settings);
  target.bind();
}

std::optional<std::size_t> ViewScene::pick_member(const ViewState& state, const PixelRegion& volume,
                                                  glm::dvec2 pixel, float scale) const {
  if (!volume.holds(pixel)) return std::nullopt;
  constexpr double kWithin = 4;  // pixels at scale 1
  return volume_.ellipsoids().pick(
      volume_.frame(),
      volume_.perspective(state.camera, volume.size, label_room(volume.size, scale)),
      pixel - glm::dvec2(volume.corner), kWithin * static_cast<double>(scale), state.clip);
}

std::optional<std::size_t> ViewScene::pick(const ViewState& state, const PixelRegion& volume,
                                           glm::dvec2 pixel, float scale) const {
  if (!cloud() || !volume.holds(pixel) || samples_.made.points != points()) return std::nullopt;
  const auto picked = pick_sample(
      samples_.view(), volume_.frame(),
      volume_.perspective(state.camera, volume.size, label_room(volume.size, scale)),
      pixel - glm::dvec2(volume.corner), kPickWithin * static_cast<double>(scale), state.clip);
  return picked && points() ? std::optional<std::size_t>(points()->samples[*picked]) : picked;
}

}  // namespace skde::view
