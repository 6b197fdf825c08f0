// How the scene is drawn into the parts of a picture.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "viewer/layers/method/method_geometry.hpp"
#include "viewer/scene/view_parts.hpp"
#include "viewer/scene/view_scene.hpp"

namespace skde::view {
namespace {

constexpr double kMovingQuality = 0.5;  // samples per cell and pixels per side, while things move
constexpr double kRoomForMass = 180;    // pixels at scale 1: width for a short text
const glm::dvec2 kMassMargin{8, 14};    // pixels at scale 1
/// Where the names of surfaces stand beside them (y downwards).
constexpr std::array<glm::dvec2, kMostSurfaces> kNameWays{
    {{0.6, -0.8}, {0.96, -0.28}, {0.96, 0.28}, {0.6, 0.8}}};

bool is_shown(const PixelRegion& part) { return part.size.x > 0 && part.size.y > 0; }

/// Fills a part of the target.
void fill(const gl::Framebuffer& target, const PixelRegion& part, glm::vec4 color) {
  const DrawState drawing;
  DrawState::clip(part, target.size());
  glClearNamedFramebufferfv(target.id(), GL_COLOR, 0, &color.x);
}

/// Returns the edges of what crop keeps of the chosen slice and the ellipse in it, in scene units.
std::vector<LineSegment> slice_marks(const SampleSlices& slices, const MethodLook& look,
                                     const Grid& grid, const SceneFrame& frame) {
  std::vector<LineSegment> lines;
  if (slices.slices.empty()) return lines;
  const SampleSlice& slice = slices.slices[chosen_slice(slices, look)];
  const glm::vec4 color(kDarkMethod.chosen, 1);
  const auto place = [&](glm::dvec3 cell) {
    const Vec3 d = grid.spacing;
    return glm::vec3(frame.to_scene(
        {grid.lower.x + cell.x * d.x, grid.lower.y + cell.y * d.y, grid.lower.z + cell.z * d.z}));
  };
  const auto add = [&](const std::vector<glm::dvec3>& cells) {
    for (std::size_t k = 1; k < cells.size(); ++k)
      lines.push_back({place(cells[k - 1]), 2.5F, place(cells[k]), color});
  };
  const double z = slice.z + 0.5;
  const GridRange& r = slice.range;
  if (r.cells() > 0)
    add({{r.x.begin, r.y.begin, z},
         {r.x.end, r.y.begin, z},
         {r.x.end, r.y.end, z},
         {r.x.begin, r.y.end, z},
         {r.x.begin, r.y.begin, z}});
  add(cut_ellipse(slices, z));
  return lines;
}

/// A frame that is being drawn.
struct Drawing {
  ViewScene& scene;
  const gl::Framebuffer& target;
  const ViewState& state;
  const FrameSettings& settings;

  /// Returns what the views of the density and of another one have in common.
  VolumeViewOptions options() const {
    VolumeViewOptions options;
    options.pixel_scale = settings.scale;
    options.background = settings.ground;
    options.inks = settings.inks;
    options.outline = state.appearance.axes;
    options.axes = state.appearance.triad;
    options.texts = scene.axis_texts(state);
    options.points = scene.draws_points(state);
    options.sections = state.sections;
    return options;
  }

  bool on_light() const { return settings.inks == kLightInks; }
  /// The colours of ellipsoids and samples.
  ColorMap masses() const { return on_ground(mass_colors(state.transfer.colors), on_light()); }

  /// Draws a view, coarser while things move.
  void draw_view(VolumeView& view, const PixelRegion& part, VolumeLook look,
                 VolumeViewOptions options) const {
    if (settings.moving) {
      look.quality *= kMovingQuality;
      options.march.resolution = kMovingQuality;
    }
    view.draw_part(target, part, state.camera, look, options);
  }

  void draw_density(const PixelRegion& part) const {
    VolumeView& view = scene.view;
    VolumeViewOptions chosen = options();
    chosen.rear_only = settings.rear_only;
    chosen.ellipsoids = view.ellipsoids.shown_as(state.ellipsoids);
    chosen.mass_colors = masses();
    if (chosen.ellipsoids != EllipsoidsShown::off && state.member >= 0)
      chosen.member = static_cast<std::size_t>(state.member);
    view.marks = {};
    if (const SampleSlices* const slices = scene.method.slices();
        slices != nullptr && state.show_slices && shows_method(state.layout)) {
      const Grid& grid = scene.density().grid();
      view.marks = {view.points.place_of(static_cast<std::size_t>(state.sample)),
                    world_matrix(slices->ellipsoid, grid),
                    slice_marks(*slices, method_look(scene, state), grid, view.frame())};
    }
    const bool alone = chosen.ellipsoids == EllipsoidsShown::alone;
    draw_view(view, part, look_of(state, view.volume), std::move(chosen));
    if (!alone) name_surfaces(view, part);
    if (scene.has_density())
      add_mass(view, scene.density().metadata.mass_in_box,
               scene.compared.view() != nullptr ? "A" : "", part.size);
  }

  /// Adds the share of the mass in the box to the labels of a part of this size. `whose` is empty
  /// unless there are two densities.
  void add_mass(VolumeView& view, double share, const std::string& whose, glm::ivec2 size) const {
    if (!state.appearance.mass || !(share > 0)) return;
    const auto scale = static_cast<double>(settings.scale);
    if (size.x < kRoomForMass * scale) return;
    const bool narrow = size.x < 2 * kRoomForMass * scale;
    const std::string of = !whose.empty() ? "of " + whose + " " : narrow ? "" : "of the mass ";
    view.drawn.labels.push_back({.pixel = glm::dvec2(size) - kMassMargin * scale,
                                 .text = fmt::format("{:.3g} % {}in the box", 100 * share, of),
                                 .color = settings.inks.line,
                                 .aside = {-1, 0},
                                 .certain = true});
  }

  /// Adds the masses of the surfaces in a view's last picture.
  void name_surfaces(VolumeView& view, const PixelRegion& part) const {
    const std::vector<MassRegion> regions = surfaces(state, view.volume);
    if (regions.empty() || !state.appearance.bar || state.sections.shown == SectionsShown::alone)
      return;
    const auto found = view.far_pixels(view.part(state.camera, part, settings.scale),
                                       look_of(state, view.volume), kNameWays);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (!found[i]) continue;
      // Beyond all surfaces, so that the text covers none.
      const glm::dvec2 way = kNameWays[i], beyond = found[i]->pixel + found[i]->beyond * way;
      view.drawn.labels.push_back({.pixel = beyond,
                                   .text = fmt::format("{:.3g} %", 100 * regions[i].mass),
                                   .color = settings.inks.strong,
                                   .aside = way,
                                   .elsewhere = {beyond},
                                   .mark = found[i]->pixel});
    }
  }

  /// Draws the difference or ratio instead of the density, or the other density beside it.
  void draw_compared(const PixelRegion& part) const {
    if (scene.compared.view() == nullptr) return;
    VolumeView& view = *scene.compared.view();
    draw_view(view, part, scene.compared.look(state), options());
    name_surfaces(view, part);
    if (!scene.compared.axis())
      return add_mass(view, view.volume.masses()->in_box(), "B", part.size);
    scene.view.forget_picture();  // no density is shown that could be probed
  }

  void draw_method(const PixelRegion& part) const {
    if (scene.method.slices() == nullptr) return;
    MethodLook look = method_look(scene, state);
    look.light = on_light();
    scene.method.draw(target, part, look, settings.scale);
  }

  void draw_sections(const std::array<PixelRegion, 3>& parts, VolumeView& view,
                     const VolumeLook& look) const {
    const Vec3 at = state.sections.place(scene.density().grid());
    const glm::vec4 ground(settings.ground, 1);
    for (const SectionMap& map : section_maps(parts, scene.view.frame(), settings.scale)) {
      fill(target, map.region, ground);
      view.draw_section(target, look,
                        {.axis = map.normal,
                         .at = at,
                         .smooth = state.sections.smooth,
                         .near = state.sections.near,
                         .transform = map.transform(target.size()),
                         .pixels_at_one = map.pixels,
                         .pixel_scale = settings.scale});
    }
  }
};

}  // namespace

void ViewScene::draw(const gl::Framebuffer& target, const PixelRegion& region,
                     const ViewState& asked, const FrameSettings& settings) {
  ViewState state = asked;
  copies_.fill(target.color(), glm::vec4(settings.ground, 1));
  reached_slices(state);
  const Drawing drawing{*this, target, state, settings};
  state.transfer.colors = on_ground(state.transfer.colors, drawing.on_light());
  const ViewParts parts = view_parts(state, region, settings.scale);
  VolumeView* const other = compared.view();
  for (VolumeView* const one : {&view, other}) {
    if (one == nullptr) continue;
    one->set_axes(is_stretched(*this, state), drawn_flips(*this, state),
                  {state.axis_factors.x, state.axis_factors.y, state.axis_factors.z});
    one->points.update(state.point_look, drawing.masses(), state.selection, view.points);
  }
  const bool is_one = compared.axis().has_value();  // a difference or ratio
  if (is_shown(parts.volume))
    is_one ? drawing.draw_compared(parts.volume) : drawing.draw_density(parts.volume);
  if (is_shown(parts.compared)) drawing.draw_compared(parts.compared);
  if (is_shown(parts.method)) drawing.draw_method(parts.method);
  if (is_shown(parts.sections[0]) && density_)
    drawing.draw_sections(parts.sections, is_one ? *other : view,
                          is_one ? compared.look(state) : look_of(state, view.volume));
  if (is_shown(parts.compared_sections[0]) && other != nullptr)
    drawing.draw_sections(parts.compared_sections, *other, compared.look(state));
  target.bind();
}

}  // namespace skde::view
