#include "pictures/plane_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/report/error.hpp"
#include "pictures/picture_axes.hpp"
#include "pictures/picture_captions.hpp"
#include "pictures/picture_heading.hpp"
#include "pictures/plane_panel.hpp"

namespace skde {

#if SKDE_HAS_PICTURES

namespace {

constexpr int kAcross = 1180, kUp = 860;      // pixels for the panels and the space between them
constexpr int kRowGap = 36;                   // between rows of panels: marks and a caption
constexpr int kAbove = 30, kBelow = 62;       // a caption, and a bottom axis
constexpr int kCaptionWidth = 26;             // a vertical caption
constexpr int kLabelSpace = kTickPixels + 5;  // marks and the gap between them and their labels
constexpr int kBarWidth = 24, kBarGap = 34, kNamesGap = 52, kLeastBar = 200;
constexpr int kNarrowest = 560;          // so that facts are not squeezed into a column
constexpr double kLongestPanel = 4;      // ratio of a panel's sides
constexpr double kLeastStretch = 1.005;  // that is worth mentioning

struct PlanePlan {
  PictureAxis across, up, values;
  std::vector<Rectangle> panels;
  Rectangle bar;
  int columns = 1;
  int bar_caption_x = 0;
  PictureHeading heading;
  ColorScale scale;
  std::array<bool, 3> flipped{};
  double stretch = 1;  ///< of the shorter side, if the axes differ in scale
  int width = 0, height = 0;
};

int rows_of(int panels, int columns) { return (panels + columns - 1) / columns; }

/// Width of each panel if `columns` panels are side by side.
int panel_width(int panels, int columns, int gap, double ratio) {
  const int rows = rows_of(panels, columns);
  const double across = (kAcross - (columns - 1) * gap) / static_cast<double>(columns);
  const double up = (kUp - (rows - 1) * kRowGap) / static_cast<double>(rows);
  return static_cast<int>(std::floor(std::min(across, up * ratio)));
}

/// Makes panels as large as possible; positions are relative to the top of the first one.
void plan_panels(PlanePlan& plan, const PictureCanvas& ruler, int panels, const Box& box,
                 int column, int row) {
  const double shape = box.extent()[column] / box.extent()[row];
  const double ratio = std::clamp(shape, 1 / kLongestPanel, kLongestPanel);
  plan.stretch = std::max(shape / ratio, ratio / shape);
  constexpr int kGuess = 80;  // a label and the space beside it
  const int gap = panels > 1 ? kGuess : 0;
  for (int columns = 1; columns <= panels; ++columns)
    if (panel_width(panels, columns, gap, ratio) > panel_width(panels, plan.columns, gap, ratio))
      plan.columns = columns;
  const int width = std::max(1, panel_width(panels, plan.columns, gap, ratio));
  const int height = std::max(1, static_cast<int>(std::lround(width / ratio)));
  plan.across = fit_horizontal_axis(ruler, box.lower[column], box.upper[column], width);
  plan.up = fit_vertical_axis(box.lower[row], box.upper[row], height);
  const int left = kPictureMargin + kCaptionWidth + label_width(ruler, plan.up) + kLabelSpace;
  const int space = std::clamp(label_width(ruler, plan.across) + 20, 36, kGuess);
  for (int i = 0; i < panels; ++i)
    plan.panels.push_back({left + (i % plan.columns) * (width + space),
                           (i / plan.columns) * (height + kRowGap), width, height});
}

void plan_color_bar(PlanePlan& plan, const PictureCanvas& ruler, const PlaneSheet& sheet) {
  const int bottom = plan.panels.back().bottom();
  const int gap = sheet.marks.lines.empty() ? kBarGap : kNamesGap;
  plan.bar = {plan.panels[static_cast<std::size_t>(plan.columns) - 1].right() + gap, 0, kBarWidth,
              std::max(kLeastBar, bottom)};
  plan.values = fit_color_axis(plan.scale, plan.bar.height);
  plan.values.caption = axis_caption(sheet.quantity, plan.values.ticks, sheet.unit);
  plan.bar_caption_x =
      plan.bar.right() + kLabelSpace + label_width(ruler, plan.values) + kCaptionWidth / 2 + 4;
  plan.width = std::max(plan.bar_caption_x + kCaptionWidth / 2, kNarrowest) + kPictureMargin;
}

PlanePlan make_plan(const PlaneSheet& sheet, const Grid& grid, const DensityMetadata& metadata,
                    const PictureLook& look) {
  const PictureCanvas ruler(1, 1);
  const int column = sheet.planes.front().columns_axis, row = sheet.planes.front().rows_axis;
  PlanePlan plan;
  std::vector<const Projection*> planes;
  for (const Projection& plane : sheet.planes) planes.push_back(&plane);
  plan.scale = color_scale(planes, metadata.values, look);
  plan_panels(plan, ruler, static_cast<int>(sheet.planes.size()), grid.bounds(), column, row);
  plan.flipped = drawn_flips(look, metadata, grid.bounds());
  const auto name = [&](PictureAxis& axis, int which) {
    const auto index = static_cast<std::size_t>(which);
    axis.flipped = plan.flipped[index];
    axis.caption = axis_caption(axis_name(metadata, index), axis.ticks, metadata.units);
  };
  name(plan.across, column);
  name(plan.up, row);
  plan_color_bar(plan, ruler, sheet);
  std::vector<std::string> more;
  if (plan.stretch > kLeastStretch)
    more.push_back(fmt::format("the shorter side is stretched {:.3g}\u00d7", plan.stretch));
  if (plan.up.flipped)
    more.push_back(axis_name(metadata, static_cast<std::size_t>(row)) + " grows downwards");
  plan.heading = make_heading(ruler, plan.width, look.title.empty() ? sheet.title : look.title,
                              grid, metadata, more);
  const int top = plan.heading.height() + kAbove;
  for (Rectangle& panel : plan.panels) panel.y += top;
  plan.bar.y += top;
  const int end = std::max(plan.panels.back().bottom() + kBelow, plan.bar.bottom() + kBelow / 2);
  plan.height = end + kPictureMargin / 2;
  return plan;
}

/// Labels are only at the left and at the lower edge of the sheet.
void draw_axes(PictureCanvas& canvas, const PlanePlan& plan, std::size_t i) {
  const Rectangle& panel = plan.panels[i];
  const auto columns = static_cast<std::size_t>(plan.columns);
  if (i % columns == 0)
    draw_left_axis(canvas, panel, plan.up, kPictureMargin + kCaptionWidth / 2 - 3);
  else
    draw_left_marks(canvas, panel, plan.up);
  if (i + columns >= plan.panels.size())
    draw_bottom_axis(canvas, panel, plan.across);
  else
    draw_bottom_marks(canvas, panel, plan.across);
}

void draw(PictureCanvas& canvas, const PlanePlan& plan, const PlaneSheet& sheet, const Box& box) {
  draw_heading(canvas, plan.width, plan.heading);
  for (std::size_t i = 0; i < plan.panels.size(); ++i) {
    const Rectangle& place = plan.panels[i];
    draw_plane(canvas, place, sheet.planes[i], plan.scale, box, plan.flipped, sheet.marks);
    canvas.text_within(place.width, place.x, place.y - 13, sheet.captions[i], {.size = 14});
    draw_axes(canvas, plan, i);
  }
  draw_color_bar(canvas, plan.bar, plan.scale, plan.values, plan.bar_caption_x, sheet.marks.lines);
}

}  // namespace

std::string write_plane_picture(const std::string& path, const PlaneSheet& sheet, const Grid& grid,
                                const DensityMetadata& metadata, const PictureLook& look) {
  const PlanePlan plan = make_plan(sheet, grid, metadata, look);
  PictureCanvas canvas = canvas_for(path, plan.width, plan.height);
  draw(canvas, plan, sheet, grid.bounds());
  return write_canvas(canvas, path);
}

#else

std::string write_plane_picture(const std::string& path, const PlaneSheet&, const Grid&,
                                const DensityMetadata&, const PictureLook&) {
  throw Error(ErrorKind::unsupported, fmt::format("{}: this build cannot write pictures", path),
              {"output", "configure it with SKDE_WITH_PICTURES=ON and cairo"});
}

#endif

}  // namespace skde
