#include "viewer/layers/volume/volume_layer.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "cli/text/terminal_text.hpp"
#include "engines/value_buffer.hpp"
#include "viewer/layers/volume/density_transfer.hpp"

namespace skde::view {
namespace {

template <class Real>
ValueCounts count(const Volume& volume) {
  ValueCounts counts;
  for (const Real value : volume.values<Real>()) {
    counts.nan += std::isnan(value) ? 1 : 0;
    counts.infinite += std::isinf(value) ? 1 : 0;
    counts.negative += value < 0 && !std::isinf(value) ? 1 : 0;
  }
  return counts;
}

ValueCounts count_values(const Volume& volume) {
  return volume.precision() == Precision::f32 ? count<float>(volume) : count<double>(volume);
}

}  // namespace

void VolumeLayer::set_masses(double in_box) {
  masses_ = std::make_shared<const MassProfile>(histogram_, texture_.grid().cell_volume(), in_box);
}

void VolumeLayer::upload(const Volume& volume) {
  texture_.upload(volume);
  bricks_.update(texture_);
  masses_ = std::make_shared<const MassProfile>();
}

void VolumeLayer::take(ValueBuffer& values, double in_box, bool given, DensityTransfer& transfer) {
  histogram_ = transfer.fill(values, texture_, bricks_);
  invalid_ = {};
  if (const Volume* const file = given ? values.on_host() : nullptr) invalid_ = count_values(*file);
  set_masses(in_box);
}

void VolumeLayer::count(double in_box, DensityTransfer& transfer) {
  histogram_ = transfer.count(texture_, bricks_.positive_range());
  set_masses(in_box);
}

std::vector<MassRegion> VolumeLayer::regions(std::span<const double> masses) const {
  std::vector<MassRegion> found;
  for (const double mass : masses)
    if (const auto region = masses_->region(mass)) found.push_back(*region);
  return found;
}

Vec3 VolumeLayer::peak_place() {
  if (peak_place_ && peak_of_ == version()) return *peak_place_;
  peak_of_ = version();
  const Volume volume = texture_.read_back();
  const std::span<const float> values = volume.values<float>();
  std::size_t most = 0;
  double peak = -1;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i]) && double{values[i]} > peak) peak = values[most = i];
  const auto [nx, ny, nz] = volume.grid().dims;
  const auto cell = static_cast<std::int64_t>(most);
  return *(peak_place_ = volume.grid().centre(cell % nx, cell / nx % ny, cell / (nx * ny)));
}

void VolumeLayer::draw(const MarchView& view, const MarchOptions& options) {
  raymarcher_.march(texture_, bricks_, view, options);
  raymarcher_.draw_over(view.target);
}

std::optional<Vec3> VolumeLayer::place_at(const MarchView& view, glm::dvec2 pixel) {
  if (!texture_) return std::nullopt;
  const auto found = raymarcher_.place_at(texture_, view, pixel);
  if (!found) return std::nullopt;
  const Box box = texture_.grid().bounds();
  const Vec3 extent = box.extent();
  return Vec3{box.lower.x + found->x * extent.x, box.lower.y + found->y * extent.y,
              box.lower.z + found->z * extent.z};
}

std::vector<std::optional<FarPixel>> VolumeLayer::far_pixels(const MarchView& view,
                                                             std::span<const glm::dvec2> ways) {
  if (!texture_) return std::vector<std::optional<FarPixel>>(view.look.surfaces.size());
  return raymarcher_.far_pixels(texture_, view, ways);
}

std::string ValueCounts::describe() const {
  std::string text;
  const auto add = [&text](std::uint64_t count, const char* what) {
    if (count == 0) return;
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", cli::format_count(count),
                        count == 1 ? "value is" : "values are", what);
  };
  add(nan, "NaN");
  add(infinite, "infinite");
  add(negative, "negative");
  return text;
}

void SectionLayer::draw(const VolumeTexture& volume, const SceneFrame& frame,
                        const VolumeLook& look, int axis, Vec3 at, bool smooth,
                        const glm::mat4& transform) {
  const Grid& grid = volume.grid();
  const auto cells = static_cast<double>(grid.dims[static_cast<std::size_t>(axis)]);
  const double layer = (at[axis] - grid.lower[axis]) / (grid.spacing[axis] * cells);
  const double middle = (static_cast<double>(section_cell(grid, at, axis)) + 0.5) / cells;
  colors_.update(look);
  colors_.set_axis(program_, volume.unit());
  set_clip(program_, look.clip, frame);
  program_.set("transform", transform);
  program_.set("box_half", glm::vec3(frame.signed_half()));
  program_.set("axis", axis);
  program_.set("layer", static_cast<float>(layer));
  // Rounding must not lead to the next cell.
  program_.set("read_layer", static_cast<float>(smooth ? layer : middle));
  program_.set("interpolated", smooth ? 1 : 0);
  program_.use();
  volume.texture().bind(0);
  colors_.texture().bind(1);
  no_vertices_.bind();
  glDrawArrays(GL_TRIANGLES, 0, 6);
}

const SectionReading& SectionLayer::read(const VolumeLayer& volume, const Grid& grid, Vec3 at) {
  if (reading_of_ == volume.version() && reading_.at == at) return reading_;
  reading_of_ = volume.version();
  reading_ = {at};
  for (int axis = 0; axis < 3; ++axis)
    reading_.cell[static_cast<std::size_t>(axis)] = section_cell(grid, at, axis);
  const auto& [i, j, k] = reading_.cell;
  reading_.density = volume.texture().value_at(grid.centre(i, j, k));
  return reading_;
}

std::optional<Vec3> section_place_at(const ScenePart& part, glm::dvec2 pixel, const Box& box,
                                     Vec3 at, const Clip& clip) {
  const Ray ray = part.perspective.ray(part.own(pixel));
  const glm::dvec3 meet = part.frame.to_scene(at);
  std::optional<Vec3> first;
  double nearest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double distance = (meet[axis] - ray.origin[axis]) / ray.direction[axis];
    if (!(distance > 0) || !(distance < nearest)) continue;
    Vec3 place = part.frame.to_world(ray.origin + distance * ray.direction);
    place[axis] = at[axis];
    if (!box.holds(place) || !clip.keeps(place)) continue;
    nearest = distance;
    first = place;
  }
  return first;
}

}  // namespace skde::view
