#include "pictures/projection_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/report/error.hpp"
#include "core/space/projection.hpp"
#include "pictures/heat_image.hpp"
#include "pictures/picture_axes.hpp"
#include "pictures/picture_captions.hpp"
#include "pictures/picture_heading.hpp"
#include "pictures/picture_layout.hpp"
#include "pictures/png_file.hpp"

namespace skde {

#if SKDE_HAS_PICTURES

namespace {

constexpr int kProjectionAcross = 1220, kProjectionUp = 940;  // pixels for the panels' sides
constexpr int kSheetAcross = 560, kSheetUp = 680;             // and for each of several volumes
constexpr int kProjectionRowGap = 42;        // between rows of panels: marks and a caption
constexpr int kProjectionBelow = 62;         // a bottom axis
constexpr int kProjectionCaptionWidth = 26;  // a vertical caption
constexpr int kProjectionLabelSpace = kTickPixels + 5;  // marks and the gap between them and their
                                                        // labels
constexpr int kProjectionBarWidth = 24, kProjectionBarGap = 34;
constexpr int kRoomForBar = 240;  // height from which on the empty corner holds the colour bar
constexpr int kProjectionNarrowest = 560;  // so that facts are not squeezed into a column

/// Where the projections of a volume are drawn.
struct ProjectionPanels {
  Rectangle xy, xz, zy;
};

/// Everything about a picture that is known before it is drawn.
struct ProjectionPlan {
  double peak = 0;
  PictureAxis x, y, z_up, z_across, values;
  std::vector<ProjectionPanels> panels;  ///< of each volume
  Rectangle bar;
  int bar_caption_x = 0;
  std::array<std::string, 3> names;
  std::array<bool, 3> flipped{};
  PictureHeading heading;
  int width = 0, height = 0;
};

double finite_maximum(const Projection& projection) {
  double peak = 0;
  for (const double value : projection.values)
    if (std::isfinite(value)) peak = std::max(peak, value);
  return peak;
}

/// Name and unit of an axis, and the factor by which it is stretched relative to the least scale.
std::string caption_of(std::size_t axis, const AxisTicks& ticks, const PictureSides& sides,
                       Vec3 extent, const DensityMetadata& metadata) {
  std::string caption = axis_caption(axis_name(metadata, axis), ticks, metadata.units);
  if (sides.one_scale) return caption;
  const auto scale = [&](std::size_t i) { return sides.pixels[i] / extent[static_cast<int>(i)]; };
  const double factor = scale(axis) / std::min({scale(0), scale(1), scale(2)});
  constexpr double kLeastFactor = 1.005;  // that is worth mentioning
  return factor < kLeastFactor ? caption
                               : fmt::format("{}, stretched {:.3g}\u00d7", caption, factor);
}

void plan_axes(ProjectionPlan& plan, const PictureCanvas& ruler, const Grid& grid,
               const PictureSides& sides, const DensityMetadata& metadata) {
  const Box box = grid.bounds();
  const auto [x, y, z] = sides.pixels;
  plan.x = fit_horizontal_axis(ruler, box.lower.x, box.upper.x, x);
  plan.y = fit_vertical_axis(box.lower.y, box.upper.y, y);
  plan.z_up = fit_vertical_axis(box.lower.z, box.upper.z, z);
  plan.z_across = fit_horizontal_axis(ruler, box.lower.z, box.upper.z, z);
  const auto name = [&](PictureAxis& axis, std::size_t which) {
    plan.names[which] = axis_name(metadata, which);
    axis.flipped = plan.flipped[which];
    axis.caption = caption_of(which, axis.ticks, sides, box.extent(), metadata);
  };
  name(plan.x, 0);
  name(plan.y, 1);
  name(plan.z_up, 2);
  name(plan.z_across, 2);
}

/// Places panels relative to the top of the upper row, which is below the facts.
void plan_panels(ProjectionPlan& plan, const PictureCanvas& ruler, const PictureSides& sides,
                 std::size_t volumes) {
  const auto [x, y, z] = sides.pixels;
  const int labels = std::max(label_width(ruler, plan.y), label_width(ruler, plan.z_up));
  int left = kPictureMargin + kProjectionCaptionWidth + labels + kProjectionLabelSpace;
  // The last label of x and the first of z are half outside their panels.
  const int column_gap = std::max(
      kProjectionRowGap, (label_width(ruler, plan.x) + label_width(ruler, plan.z_across)) / 2 + 28);
  for (std::size_t i = 0; i < volumes; ++i) {
    ProjectionPanels panels;
    panels.xz = {left, 0, x, z};
    panels.xy = {left, z + kProjectionRowGap, x, y};
    panels.zy = {panels.xy.right() + column_gap, panels.xy.y, z, y};
    left = panels.zy.right() + column_gap;
    plan.panels.push_back(panels);
  }
}

/// The colour bar fills the empty corner above the last zy if that is large enough; otherwise it is
/// to the right of all panels.
void plan_color_bar(ProjectionPlan& plan, const PictureCanvas& ruler,
                    const DensityMetadata& metadata) {
  const auto& [xy, xz, zy] = plan.panels.back();
  const bool in_corner = xz.height >= kRoomForBar;
  plan.bar = in_corner ? Rectangle{zy.x, xz.y, kProjectionBarWidth, xz.height}
                       : Rectangle{zy.right() + kProjectionBarGap, xz.y, kProjectionBarWidth,
                                   zy.bottom() - xz.y};
  plan.values = fit_vertical_axis(0, plan.peak, plan.bar.height);
  plan.values.caption =
      axis_caption(quantity_name(metadata), plan.values.ticks, quantity_unit(metadata));
  plan.bar_caption_x = plan.bar.right() + kProjectionLabelSpace + label_width(ruler, plan.values) +
                       kProjectionCaptionWidth / 2 + 4;
  const int panels_end = zy.right() + std::max(0, label_width(ruler, plan.z_across) / 2);
  const int bar_end = plan.bar_caption_x + kProjectionCaptionWidth / 2;
  plan.width = std::max({panels_end, bar_end, kProjectionNarrowest}) + kPictureMargin;
}

void plan_heading(ProjectionPlan& plan, const PictureCanvas& ruler, const ProjectionSheet& sheet,
                  const Grid& grid, const DensityMetadata& metadata, bool one_scale) {
  std::vector<std::string> more = sheet.facts;
  if (!one_scale) more.emplace_back("axes have different scales");
  plan.heading = make_heading(ruler, plan.width, sheet.title, grid, metadata, more);
  const int top = plan.heading.height() + 36;
  for (auto& [xy, xz, zy] : plan.panels)
    for (Rectangle* rectangle : {&xy, &xz, &zy}) rectangle->y += top;
  plan.bar.y += top;
  plan.height = plan.panels.front().xy.bottom() + kProjectionBelow + kPictureMargin / 2;
}

ProjectionPlan make_plan(const ProjectionSheet& sheet, const Grid& grid,
                         const DensityMetadata& metadata, std::array<bool, 3> flipped) {
  const PictureCanvas ruler(1, 1);
  const bool several = sheet.projections.size() > 1;
  const PictureSides sides =
      choose_sides(grid.bounds().extent(), several ? kSheetAcross : kProjectionAcross,
                   several ? kSheetUp : kProjectionUp);
  ProjectionPlan plan;
  plan.flipped = flipped;
  for (const Projections& projections : sheet.projections)
    plan.peak = std::max(plan.peak, finite_maximum(projections.xy));
  plan_axes(plan, ruler, grid, sides, metadata);
  plan_panels(plan, ruler, sides, sheet.projections.size());
  plan_color_bar(plan, ruler, metadata);
  plan_heading(plan, ruler, sheet, grid, metadata, sides.one_scale);
  return plan;
}

void draw_panel(PictureCanvas& canvas, const ProjectionPlan& plan, const Rectangle& place,
                const Projection& projection, const std::string& caption) {
  const auto flipped = [&](int axis) { return plan.flipped[static_cast<std::size_t>(axis)]; };
  canvas.image(place, heat_image(projection, place.width, place.height, plan.peak,
                                 flipped(projection.columns_axis), flipped(projection.rows_axis)));
  canvas.frame(place);
  canvas.text_within(place.width, place.x, place.y - 13, caption, {.size = 14});
}

void draw_volume(PictureCanvas& canvas, const ProjectionPlan& plan, const ProjectionPanels& panels,
                 const Projections& projections, const std::string& caption) {
  const std::string maximum = caption.empty() ? "maximum along " : caption + ", maximum along ";
  draw_panel(canvas, plan, panels.xy, projections.xy, maximum + plan.names[2]);
  draw_panel(canvas, plan, panels.xz, projections.xz, maximum + plan.names[1]);
  draw_panel(canvas, plan, panels.zy, projections.zy, maximum + plan.names[0]);
  draw_bottom_axis(canvas, panels.xy, plan.x);
  draw_bottom_axis(canvas, panels.zy, plan.z_across);
  draw_bottom_marks(canvas, panels.xz, plan.x);
  draw_left_marks(canvas, panels.zy, plan.y);
}

void draw(PictureCanvas& canvas, const ProjectionPlan& plan, const ProjectionSheet& sheet) {
  draw_heading(canvas, plan.width, plan.heading);
  for (std::size_t i = 0; i < plan.panels.size(); ++i) {
    draw_volume(canvas, plan, plan.panels[i], sheet.projections[i], sheet.captions[i]);
    if (i == 0) continue;  // the first one has labels instead
    draw_left_marks(canvas, plan.panels[i].xy, plan.y);
    draw_left_marks(canvas, plan.panels[i].xz, plan.z_up);
  }
  const int caption_x = kPictureMargin + kProjectionCaptionWidth / 2 - 3;
  draw_left_axis(canvas, plan.panels.front().xy, plan.y, caption_x);
  draw_left_axis(canvas, plan.panels.front().xz, plan.z_up, caption_x);
  canvas.image(plan.bar, color_bar_image(plan.bar.width, plan.bar.height));
  canvas.frame(plan.bar);
  draw_right_axis(canvas, plan.bar, plan.values, plan.bar_caption_x);
}

}  // namespace

std::int64_t picture_bytes(const std::array<std::int64_t, 3>& dims) {
  constexpr std::int64_t kPixelCopies = 12;  // bytes for canvas, panel, file and their buffers
  constexpr std::int64_t kPixels = std::int64_t{kProjectionAcross + 300} * (kProjectionUp + 260);
  // A panel keeps a row of its pixels for every row of cells.
  return std::max(dims[1], dims[2]) * kProjectionAcross *
             static_cast<std::int64_t>(sizeof(double)) +
         kPixels * kPixelCopies;
}

std::string write_projection_sheet(const std::string& path, const ProjectionSheet& sheet,
                                   const Grid& grid, const DensityMetadata& metadata,
                                   std::array<bool, 3> flipped) {
  const ProjectionPlan plan = make_plan(sheet, grid, metadata, flipped);
  PictureCanvas canvas(plan.width, plan.height);
  draw(canvas, plan, sheet);
  write_png(canvas.picture(), path);
  return canvas.missing_letters();
}

#else

std::int64_t picture_bytes(const std::array<std::int64_t, 3>&) { return 0; }

std::string write_projection_sheet(const std::string& path, const ProjectionSheet&, const Grid&,
                                   const DensityMetadata&, std::array<bool, 3>) {
  throw Error(ErrorKind::unsupported, fmt::format("{}: this build cannot write pictures", path),
              {"picture", "configure it with SKDE_WITH_PICTURES=ON and cairo"});
}

#endif

std::string write_projection_picture(const std::string& path, const Projections& projections,
                                     const Grid& grid, const DensityMetadata& metadata,
                                     std::array<bool, 3> flipped) {
  return write_projection_sheet(path, {"Kernel density, maximum projections", {""}, {projections}},
                                grid, metadata, flipped);
}

}  // namespace skde
