#include "pictures/projection_picture.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/report/error.hpp"
#include "pictures/picture_axes.hpp"
#include "pictures/picture_captions.hpp"
#include "pictures/picture_heading.hpp"
#include "pictures/picture_layout.hpp"
#include "pictures/plane_panel.hpp"

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
constexpr int kProjectionBarWidth = 24, kProjectionBarGap = 52;
constexpr int kRoomForBar = 240;  // height from which on the empty corner holds the colour bar
constexpr int kProjectionNarrowest = 560;  // so that facts are not squeezed into a column

/// Where the projections of a volume are drawn.
struct ProjectionPanels {
  Rectangle xy, xz, zy;
};

/// Everything about a picture that is known before it is drawn.
struct ProjectionPlan {
  ColorScale scale;
  PictureAxis x, y, z_up, z_across, values;
  std::vector<ProjectionPanels> panels;  ///< of each volume
  Rectangle bar;
  int bar_caption_x = 0;
  std::array<std::string, 3> names;
  std::array<bool, 3> flipped{};
  PictureHeading heading;
  int width = 0, height = 0;
};

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
  plan.values = fit_color_axis(plan.scale, plan.bar.height);
  plan.values.caption =
      axis_caption(quantity_name(metadata), plan.values.ticks, quantity_unit(metadata));
  plan.bar_caption_x = plan.bar.right() + kProjectionLabelSpace + label_width(ruler, plan.values) +
                       kProjectionCaptionWidth / 2 + 4;
  const int panels_end = zy.right() + std::max(0, label_width(ruler, plan.z_across) / 2);
  const int bar_end = plan.bar_caption_x + kProjectionCaptionWidth / 2;
  plan.width = std::max({panels_end, bar_end, kProjectionNarrowest}) + kPictureMargin;
}

void plan_heading(ProjectionPlan& plan, const PictureCanvas& ruler, const ProjectionSheet& sheet,
                  const std::string& title, const Grid& grid, const DensityMetadata& metadata,
                  bool one_scale) {
  std::vector<std::string> more = sheet.facts;
  if (!one_scale) more.emplace_back("axes have different scales");
  if (plan.flipped[2]) more.push_back(plan.names[2] + " grows downwards");
  plan.heading = make_heading(ruler, plan.width, title, grid, metadata, more);
  const int top = plan.heading.height() + 36;
  for (auto& [xy, xz, zy] : plan.panels)
    for (Rectangle* rectangle : {&xy, &xz, &zy}) rectangle->y += top;
  plan.bar.y += top;
  plan.height = plan.panels.front().xy.bottom() + kProjectionBelow + kPictureMargin / 2;
}

ProjectionPlan make_plan(const ProjectionSheet& sheet, const Grid& grid,
                         const DensityMetadata& metadata, const PictureLook& look) {
  const PictureCanvas ruler(1, 1);
  const bool several = sheet.projections.size() > 1;
  const PictureSides sides =
      choose_sides(grid.bounds().extent(), several ? kSheetAcross : kProjectionAcross,
                   several ? kSheetUp : kProjectionUp);
  ProjectionPlan plan;
  plan.flipped = drawn_flips(look, metadata, grid.bounds());
  std::vector<const Projection*> planes;
  for (const Projections& projections : sheet.projections)
    planes.insert(planes.end(), {&projections.xy, &projections.xz, &projections.zy});
  plan.scale = color_scale(planes, metadata.values, look);
  plan_axes(plan, ruler, grid, sides, metadata);
  plan_panels(plan, ruler, sides, sheet.projections.size());
  plan_color_bar(plan, ruler, metadata);
  plan_heading(plan, ruler, sheet, look.title.empty() ? sheet.title : look.title, grid, metadata,
               sides.one_scale);
  return plan;
}

void draw_volume(PictureCanvas& canvas, const ProjectionPlan& plan, const ProjectionSheet& sheet,
                 std::size_t i, const Box& box) {
  const ProjectionPanels& panels = plan.panels[i];
  const Projections& projections = sheet.projections[i];
  const std::string& caption = sheet.captions[i];
  const std::string along = std::string(caption.empty() ? "" : ", ") +
                            (plan.scale.middle > 0 ? "extreme along " : "maximum along ");
  const PlaneMarks marks = i < sheet.marks.size() ? sheet.marks[i] : PlaneMarks{};
  const auto draw_panel = [&](const Rectangle& place, const Projection& plane, std::size_t axis) {
    draw_plane(canvas, place, plane, plan.scale, box, plan.flipped, marks);
    canvas.text_within(place.width, place.x, place.y - 13, caption + along + plan.names[axis],
                       {.size = 14});
  };
  draw_panel(panels.xy, projections.xy, 2);
  draw_panel(panels.xz, projections.xz, 1);
  draw_panel(panels.zy, projections.zy, 0);
  draw_bottom_axis(canvas, panels.xy, plan.x);
  draw_bottom_axis(canvas, panels.zy, plan.z_across);
  draw_bottom_marks(canvas, panels.xz, plan.x);
  draw_left_marks(canvas, panels.zy, plan.y);
}

void draw(PictureCanvas& canvas, const ProjectionPlan& plan, const ProjectionSheet& sheet,
          const Box& box) {
  draw_heading(canvas, plan.width, plan.heading);
  for (std::size_t i = 0; i < plan.panels.size(); ++i) {
    draw_volume(canvas, plan, sheet, i, box);
    if (i == 0) continue;  // the first one has labels instead
    draw_left_marks(canvas, plan.panels[i].xy, plan.y);
    draw_left_marks(canvas, plan.panels[i].xz, plan.z_up);
  }
  const int caption_x = kPictureMargin + kProjectionCaptionWidth / 2 - 3;
  draw_left_axis(canvas, plan.panels.front().xy, plan.y, caption_x);
  draw_left_axis(canvas, plan.panels.front().xz, plan.z_up, caption_x);
  draw_color_bar(canvas, plan.bar, plan.scale, plan.values, plan.bar_caption_x,
                 sheet.marks.empty() ? std::vector<LevelLine>() : sheet.marks.front().lines);
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
                                   const PictureLook& look) {
  const ProjectionPlan plan = make_plan(sheet, grid, metadata, look);
  PictureCanvas canvas = canvas_for(path, plan.width, plan.height);
  draw(canvas, plan, sheet, grid.bounds());
  return write_canvas(canvas, path);
}

#else

std::int64_t picture_bytes(const std::array<std::int64_t, 3>&) { return 0; }

std::string write_projection_sheet(const std::string& path, const ProjectionSheet&, const Grid&,
                                   const DensityMetadata&, const PictureLook&) {
  throw Error(ErrorKind::unsupported, fmt::format("{}: this build cannot write pictures", path),
              {"picture", "configure it with SKDE_WITH_PICTURES=ON and cairo"});
}

#endif

}  // namespace skde
