#include "viewer/scene/view_scene.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimate/read/cloud.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/worker.hpp"
#include "pictures/picture_captions.hpp"
#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/work/fit_worker.hpp"
#include "viewer/work/live_answers.hpp"

namespace skde::view {
namespace {

bool has_unlike_edges(const Grid& grid) {
  const Vec3 edges = grid.bounds().extent();
  return std::max({edges.x, edges.y, edges.z}) >
         kUnlikeEdges * std::min({edges.x, edges.y, edges.z});
}

/// Keeps the chosen sample among those that there are.
void keep_sample(ViewState& state, const ViewScene& scene) {
  const auto& cloud = scene.cloud();
  const std::int64_t samples = cloud ? static_cast<std::int64_t>(cloud->points.size()) : 1;
  state.sample = std::clamp<std::int64_t>(state.sample, 0, std::max<std::int64_t>(samples - 1, 0));
}

constexpr std::size_t kDivergingColors = 1025;  // odd, so that one of them is the middle
// Opacity at the ends of the axis; and the share of the axis around 0 that is not seen, so that all
// that hardly differs does not veil the rest.
constexpr double kFarOpacity = 0.7, kUnseen = 0.03;

bool diverges(ColorMap map) {
  const ColorMap plain = is_inverted(map) ? inverted(map) : map;
  return plain == ColorMap::blue_red || plain == ColorMap::green_purple;
}

}  // namespace

void ViewScene::fit_axis(ViewState& state) const {
  const double highest = std::max(view.volume.peak(), compared.peak());
  if (highest > 0) state.transfer.axis = axis_up_to(highest, state.transfer.axis.logarithmic);
  fit_opacities(state);
}

void ViewScene::fit_opacities(ViewState& state) const {
  if (!state.transfer.follows_mass || !density_) return;
  const Vec3 box = density_->grid().bounds().extent();
  state.transfer.follow_mass(
      opacities_by_mass(*view.volume.masses(), state.transfer.axis, box.x * box.y * box.z));
}

void ViewScene::show(WorkerResult result, ViewState& state, bool may_follow) {
  if (!result.density) return;
  const DensityMetadata& about = result.density->metadata;
  const bool told = about.samples > 0 && about.mass_in_box > 0;
  view.volume.take(*result.density->values(), told ? about.mass_in_box : 1, !result.cloud,
                   transfer);
  result.density->values() = {};  // the texture holds the values now; the engine may reuse the
                                  // buffer
  density_ = std::move(result.density);
  planned_.reset();
  time = result.time;
  view.set_box(std::nullopt);
  take_samples(std::move(result.cloud), state);
  if (state.axis_follows_density && may_follow) fit_axis(state);
  if (may_follow) fit_opacities(state);
  keep_sample(state, *this);
  method.show(nullptr);
}

void ViewScene::show_planned(PlannedDensity planned, ViewState& state) {
  take_samples(planned.cloud, state);
  keep_sample(state, *this);
  time = planned.time;
  view.set_box(planned.grid.bounds());
  planned_ = planned.grid;
  planned_h_ = planned.h;
}

void ViewScene::forget_planned(ViewState& state) {
  planned_.reset();
  planned_h_ = 0;
  time.reset();
  view.set_box(std::nullopt);
  take_samples(nullptr, state);
}

void ViewScene::take_samples(std::shared_ptr<const SampleCloud> samples, ViewState& state) {
  if (cloud() == samples) return;
  view.ellipsoids.take(samples ? samples->points : SamplesView());
  view.points.take(std::move(samples));
  if (state.member >= static_cast<std::int64_t>(view.ellipsoids.members().size()))
    state.member = -1;
}

void ViewScene::show_compared(Comparison comparison, CompareAs as, ViewState& state) {
  compared.show(std::move(comparison), as, transfer);
  if (state.axis_follows_density) fit_axis(state);
}

void ViewScene::forget_compared(ViewState& state) {
  if (compared.view() == nullptr) return;
  compared.forget();
  if (state.axis_follows_density && density_) fit_axis(state);
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
  if (!cloud() || !density_ || cloud()->points.size() == 0)
    method.show(nullptr);
  else
    method.follow(density_->facts(), cloud()->points, static_cast<std::size_t>(state.sample));
  return method.slices() != nullptr ? method.slices()->z : IndexRange{};
}

const std::vector<ProbeReading>& ViewScene::pin_readings(const ViewState& state) {
  const int version = view.volume.version();
  const bool same =
      pins_of_ == version && std::ranges::equal(pins_, state.pins, {}, &ProbeReading::place);
  if (same || !density_) return pins_;
  pins_.clear();
  for (const Vec3& pin : state.pins) pins_.push_back(read_place(*this, pin));
  pins_of_ = version;
  return pins_;
}

void show_points(ViewScene& scene, std::shared_ptr<const ShownPoints> points,
                 std::shared_ptr<const ShownPoints> of_b) {
  scene.view.points.show(std::move(points));
  if (VolumeView* const b = scene.compared.view()) b->points.show(std::move(of_b));
}

bool has_own_kernels(const ViewScene& scene) {
  return scene.cloud() && scene.density().facts().bandwidth.source == "samples";
}

bool is_stretched(const ViewScene& scene, const ViewState& state) {
  return state.proportions == Proportions::fit ||
         (state.proportions == Proportions::automatic && scene.grid() != nullptr &&
          has_unlike_edges(*scene.grid()));
}

std::array<bool, 3> drawn_flips(const ViewScene& scene, const ViewState& state) {
  return skde::drawn_flips(state.flipped, scene.axis_texts(state).name(2),
                           scene.grid() != nullptr ? scene.grid()->bounds() : Box{});
}

Camera first_camera(const ViewScene& scene, const ViewState& state) {
  if (scene.grid() == nullptr) return {};
  const Box box = scene.grid()->bounds();
  const Vec3 edges = box.extent();
  Symmetric3 spread = Symmetric3::diagonal(edges.x * edges.x, edges.y * edges.y, edges.z * edges.z);
  if (scene.cloud()) spread = scene.cloud()->moments.covariance();
  const glm::dvec3 unit =
      SceneFrame(box, is_stretched(scene, state), drawn_flips(scene, state),
                 {state.axis_factors.x, state.axis_factors.y, state.axis_factors.z})
          .unit();
  glm::dmat3 seen;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) seen[i][j] = spread(i, j) / (unit[i] * unit[j]);
  return first_camera(seen);
}

MethodLook method_look(const ViewScene& scene, const ViewState& state) {
  MethodLook look;
  if (state.slice >= 0) look.slice = static_cast<std::int32_t>(state.slice);
  look.full_share = scene.full_share;
  const AxisTexts texts = scene.axis_texts(state);
  for (std::size_t axis = 0; axis < 3; ++axis) look.axes[axis] = texts.name(axis);
  const Grid& grid = scene.density().grid();
  const SceneFrame frame(grid.bounds(), is_stretched(scene, state), drawn_flips(scene, state));
  look.cell = glm::dvec3(grid.spacing.x, grid.spacing.y, grid.spacing.z) / frame.unit();
  look.apart = state.method.apart;
  look.colors = state.transfer.colors;
  look.camera = state.method.camera;
  return look;
}

FitJob fit_job(const ViewScene& scene) {
  FitJob job{scene.view.volume.texture().read_back()};
  const DensityMetadata& about = scene.density().metadata;
  const auto& cloud = scene.cloud();
  const bool is_shared = cloud && !cloud->points.shaped() && about.adaptive == 0;
  if (is_shared && is_positive_definite(about.H)) job.kernel = about.kernel->variance * about.H;
  if (cloud && !about.sharpened) {
    job.samples = cloud->points;
    job.owner = cloud;
  }
  return job;
}

void step_method(ViewState& state, ViewScene& scene) {
  if (!scene.has_density() || !scene.cloud() || scene.cloud()->points.size() == 0) return;
  const IndexRange now = scene.reached_slices(state);
  if (!now.empty() && state.slice < now.end - 1) {
    state.slice = std::max<std::int64_t>(state.slice + 1, now.begin);
    return;
  }
  state.sample = (state.sample + 1) % static_cast<std::int64_t>(scene.cloud()->points.size());
  const IndexRange next = scene.reached_slices(state);
  state.slice = next.empty() ? -1 : next.begin;
}

std::optional<Vec3> place_at(ViewScene& scene, const ViewState& state, const ViewParts& parts,
                             glm::dvec2 pixel, float scale) {
  if (!scene.has_density()) return std::nullopt;
  const Grid& grid = scene.density().grid();
  const Vec3 at = state.sections.place(grid);
  for (const SectionMap& map : section_maps(parts.sections_at(pixel), scene.view.frame(), scale)) {
    const auto [upper_left, lower_right] = map.corners();
    if (glm::all(glm::lessThanEqual(upper_left, pixel)) &&
        glm::all(glm::lessThanEqual(pixel, lower_right)))
      return map.to_world(pixel, at);
  }
  const ScenePart part = scene.view.part(state.camera, parts.volume, scale);
  if (!parts.volume.holds(pixel) || !scene.view.has_picture(part) ||
      scene.view.ellipsoids.shown_as(state.ellipsoids) == EllipsoidsShown::alone)
    return std::nullopt;
  if (state.sections.shown == SectionsShown::alone)
    return section_place_at(part, pixel, grid.bounds(), at, state.clip);
  return scene.view.place_at(part, pixel, look_of(state, scene.view.volume));
}

ProbeReading read_place(const ViewScene& scene, Vec3 place) {
  ProbeReading reading{place, scene.view.volume.texture().value_at(place)};
  reading.mass_above = scene.view.volume.masses()->mass_above(reading.density);
  if (scene.cloud()) find_nearest(scene.cloud()->points, scene.view.frame(), reading);
  return reading;
}

ProbeTexts probe_texts(const ViewScene& scene, const ViewState& state) {
  ProbeTexts texts;
  texts.axes = scene.axis_texts(state);
  if (!scene.has_density()) return texts;
  texts.extent = scene.density().grid().bounds().extent();
  if (!texts.axes.units.empty()) {
    DensityMetadata described = scene.density().metadata;
    described.units = texts.axes.units;
    texts.density_unit = quantity_unit(described);
  }
  const auto& cloud = scene.cloud();
  texts.rows =
      cloud && cloud->files.paths.size() == 1 && cloud->counts.rows == cloud->points.size();
  return texts;
}

SectionReading read_sections(ViewScene& scene, const ViewState& state) {
  if (!scene.has_density()) return {};
  const Grid& grid = scene.density().grid();
  return scene.view.sections.read(scene.view.volume, grid, state.sections.place(grid));
}

std::vector<std::optional<glm::dvec2>> pin_pixels(const ViewState& state, const ScenePart& part) {
  std::vector<std::optional<glm::dvec2>> pixels;
  for (const Vec3& pin : state.pins) {
    const auto place = part.perspective.project(part.frame.to_scene(pin));
    pixels.push_back(place ? std::optional(glm::dvec2(*place)) : std::nullopt);
  }
  return pixels;
}

ColorMap diverging_colors(const ViewState& state) {
  return diverges(state.transfer.colors) ? state.transfer.colors : ColorMap::blue_red;
}

void ComparedLayer::show(Comparison comparison, CompareAs as, DensityTransfer& transfer) {
  if (!view_) view_ = std::make_unique<VolumeView>();
  view_->upload(comparison.shown);
  as_ = as;
  most_ = comparison.greatest;
  const bool side = as == CompareAs::side;
  view_->points.take(side ? std::move(comparison.cloud) : nullptr);
  if (side) view_->volume.count(comparison.in_box, transfer);
  ++version_;
}

void ComparedLayer::forget() {
  view_.reset();
  ++version_;
}

std::optional<ValueAxis> ComparedLayer::axis() const {
  if (!view_ || as_ == CompareAs::side) return std::nullopt;
  const double most = most_ > 0 ? most_ : 1;
  return ValueAxis{-most, most, false};
}

VolumeLook ComparedLayer::look(const ViewState& state) const {
  if (as_ == CompareAs::side) return look_of(state, view_->volume);
  VolumeLook look;
  look.axis = *axis();
  look.quality = state.quality;
  look.clip = state.clip;
  look.colors.reserve(kDivergingColors);
  for (std::size_t i = 0; i < kDivergingColors; ++i) {
    const double share = static_cast<double>(i) / (kDivergingColors - 1);
    const Rgb color = map_rgb(diverging_colors(state), share);
    const double away = std::max(std::abs(2 * share - 1) - kUnseen, 0.0) / (1 - kUnseen);
    const double opacity = state.transfer.opacity_scale * kFarOpacity * away * std::sqrt(away);
    look.colors.emplace_back(color.red, color.green, color.blue, std::min(opacity, 1.0));
  }
  return look;
}

}  // namespace skde::view
