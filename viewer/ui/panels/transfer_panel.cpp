#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/ui/panels/panels.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/theme_drawing.hpp"
#include "viewer/ui/value_ticks.hpp"

namespace skde::view::ui {
namespace {

// Pixels at scale 1.
constexpr float kHeight = 120, kStripHeight = 12, kPointRadius = 4.5f, kReach = 9, kEditorTick = 4;

constexpr float kBarOpacity = 0.5F, kGridOpacity = 0.09F;
constexpr ImU32 kPointFill = IM_COL32(66, 150, 250, 255);

/// The rectangle of the opacity line in pixels; opacity 1 is at its top.
struct Canvas {
  ImVec2 lower_left, size;

  ImVec2 pixel(const ControlPoint& point) const {
    return {lower_left.x + size.x * static_cast<float>(point.position),
            lower_left.y - size.y * static_cast<float>(point.opacity)};
  }
  ControlPoint point(ImVec2 pixel) const {
    return {std::clamp<double>((pixel.x - lower_left.x) / size.x, 0, 1),
            std::clamp<double>((lower_left.y - pixel.y) / size.y, 0, 1)};
  }
  ImVec2 upper_left() const { return {lower_left.x, lower_left.y - size.y}; }
  ImVec2 lower_right() const { return {lower_left.x + size.x, lower_left.y}; }
};

/// Returns the height of a bar, 0..1: the decades above a thousandth of the largest count, and a
/// small least height for any nonzero count.
float bar_height(std::uint64_t count, std::uint64_t most) {
  constexpr double kDecades = 3, kLeast = 0.03;
  if (count == 0) return 0;
  const double decades = std::log10(static_cast<double>(count) / static_cast<double>(most));
  return static_cast<float>(std::max(1 + decades / kDecades, kLeast));
}

/// Returns the counts of bars that are wide enough for smooth heights.
std::vector<std::uint64_t> bar_counts(const Histogram& histogram) {
  constexpr std::size_t kBinsOfBar = 8;
  std::vector<std::uint64_t> counts(Histogram::kBins / kBinsOfBar);
  for (std::size_t bin = 0; bin < Histogram::kBins; ++bin)
    counts[bin / kBinsOfBar] += histogram.counts[bin];
  return counts;
}

/// Returns the height of each pixel's bar: that of the most populous one on the pixel.
std::vector<float> bar_heights(const Histogram& histogram, const ValueAxis& axis, float width) {
  const auto columns = static_cast<std::size_t>(std::max(width, 1.0f));
  std::vector<float> heights(columns, 0);
  const std::vector<std::uint64_t> counts = bar_counts(histogram);
  const std::uint64_t most = *std::ranges::max_element(counts);
  const auto column_of = [&](double value) {
    return static_cast<std::size_t>(axis.share_of(value) * static_cast<double>(columns - 1));
  };
  for (std::size_t bar = 0; bar < counts.size(); ++bar) {
    const double bars = static_cast<double>(counts.size()), at = static_cast<double>(bar);
    const double low = histogram.axis.value_at(at / bars);
    const double high = histogram.axis.value_at((at + 1) / bars);
    if (high <= axis.low || low >= axis.high) continue;
    const float height = bar_height(counts[bar], most);
    for (std::size_t i = column_of(low); i <= column_of(high); ++i)
      heights[i] = std::max(heights[i], height);
  }
  return heights;
}

void draw_histogram(ImDrawList& list, const Canvas& canvas, const Histogram& histogram,
                    const ValueAxis& axis) {
  const std::vector<float> heights = bar_heights(histogram, axis, canvas.size.x);
  const ImU32 ink = packed(glm::vec4(glm::vec3(theme_inks().quiet), kBarOpacity));
  // Equal neighbours are drawn as one rectangle.
  for (std::size_t begin = 0, end = 0; begin < heights.size(); begin = end) {
    while (end < heights.size() && heights[end] == heights[begin]) ++end;
    if (heights[begin] == 0) continue;
    const float left = canvas.lower_left.x + static_cast<float>(begin);
    const float right = canvas.lower_left.x + static_cast<float>(end);
    const float top = canvas.lower_left.y - 0.95f * canvas.size.y * heights[begin];
    list.AddRectFilled({left, top}, {right, canvas.lower_left.y}, ink);
  }
}

void draw_ground(ImDrawList& list, const Canvas& canvas, float scale) {
  list.AddRectFilled(canvas.upper_left(), canvas.lower_right(),
                     packed(glm::vec4(glm::vec3(theme_inks().plate), 1)));
  for (const double opacity : {0.25, 0.5, 0.75}) {
    const ImVec2 left = canvas.pixel({0, opacity}), right = canvas.pixel({1, opacity});
    list.AddLine(left, right, packed(glm::vec4(glm::vec3(theme_inks().strong), kGridOpacity)),
                 scale);
  }
}

void draw_line(ImDrawList& list, const Canvas& canvas, const TransferFunction& transfer,
               const std::optional<std::size_t>& lit, float scale) {
  std::vector<ImVec2> line;
  for (const ControlPoint& point : transfer.points()) line.push_back(canvas.pixel(point));
  list.AddPolyline(line.data(), static_cast<int>(line.size()), packed(theme_inks().strong), 0,
                   1.5f * scale);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const float radius = kPointRadius * scale * (lit == i ? 1.35f : 1);
    list.AddCircleFilled(line[i], radius, kPointFill);
    list.AddCircle(line[i], radius, packed(theme_inks().strong), 0, scale);
  }
}

/// Returns the point under the mouse, the nearest if there are several.
std::optional<std::size_t> point_at(const Canvas& canvas, const TransferFunction& transfer,
                                    ImVec2 mouse, float scale) {
  std::optional<std::size_t> found;
  float least = kReach * scale;
  for (std::size_t i = 0; i < transfer.points().size(); ++i) {
    const ImVec2 pixel = canvas.pixel(transfer.points()[i]);
    const float distance = std::hypot(pixel.x - mouse.x, pixel.y - mouse.y);
    if (distance > least) continue;
    least = distance;
    found = i;
  }
  return found;
}

/// Applies the mouse to the points. Returns the point that it holds or hovers over.
std::optional<std::size_t> handle_mouse(const Canvas& canvas, TransferFunction& transfer,
                                        PanelLayout& layout) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) || !ImGui::IsItemActive())
    layout.grabbed_point.reset();
  std::optional<std::size_t> over;
  if (ImGui::IsItemHovered()) over = point_at(canvas, transfer, mouse, layout.scale);
  if (ImGui::IsItemActive() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    layout.grabbed_point = over;
    if (!over && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
      layout.grabbed_point = transfer.add(canvas.point(mouse));
  }
  if (over && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    transfer.remove(*over);
    return {};
  }
  if (!layout.grabbed_point) return over;
  if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1))
    transfer.move(*layout.grabbed_point, canvas.point(mouse));
  return layout.grabbed_point;
}

void draw_axis(ImDrawList& list, const Canvas& canvas, const ViewState& state,
               const PanelFacts& facts, float scale) {
  const ImVec2 corner{canvas.lower_left.x, canvas.lower_left.y + 2 * scale};
  const float bottom = corner.y + kStripHeight * scale;
  draw_color_row(list, state.transfer.colors, corner, {canvas.lower_right().x, bottom});
  const float letter = ImGui::GetFontSize();
  const int most = std::max(2, static_cast<int>(canvas.size.x / (3.5f * letter)));
  const ValueTicks ticks = value_ticks(state.transfer.axis, most, facts.values);
  for (const ValueTick& tick : ticks.ticks) {
    const float x = canvas.pixel({tick.share, 0}).x;
    const float length = (tick.label.empty() ? 0.5f : 1) * kEditorTick * scale;
    list.AddLine({x, bottom}, {x, bottom + length}, packed(theme_inks().quiet), scale);
    const float width = ImGui::CalcTextSize(tick.label.c_str()).x;
    const float left =
        std::clamp(x - width / 2, corner.x, std::max(corner.x, canvas.lower_right().x - width));
    list.AddText({std::round(left), bottom + kEditorTick * scale}, packed(theme_inks().quiet),
                 tick.label.c_str());
  }
  const float width = ImGui::CalcTextSize(ticks.caption.c_str()).x;
  list.AddText({std::round(corner.x + (canvas.size.x - width) / 2),
                bottom + kEditorTick * scale + 1.05f * letter},
               packed(theme_inks().quiet), ticks.caption.c_str());
}

/// Draws the line of opacities over the histogram of the density, and the colours below it. The
/// user drags control points, adds them by double click and removes them with the right button.
void draw_transfer_editor(ViewState& state, const PanelFacts& facts, PanelLayout& layout) {
  const float scale = layout.scale, letter = ImGui::GetFontSize();
  const float margin = (kPointRadius + 1) * scale;  // room for points at the ends of the line
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 whole{std::max(ImGui::GetContentRegionAvail().x, 4 * margin),
                     kHeight * scale + 2 * margin};
  const Canvas canvas{{corner.x + margin, std::round(corner.y + whole.y - margin)},
                      {std::round(whole.x - 2 * margin), std::round(kHeight * scale)}};
  ImGui::InvisibleButton("##editor", whole,
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  const SurfaceLines surfaces{canvas.upper_left(), canvas.lower_right(), scale, state.transfer.axis,
                              *facts.masses};
  const bool on_surface = surfaces.handle_mouse(state, layout.grabbed_surface);
  std::optional<std::size_t> lit;
  if (!on_surface) lit = handle_mouse(canvas, state.transfer, layout);

  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_ground(list, canvas, scale);
  draw_histogram(list, canvas, facts.histogram, state.transfer.axis);
  draw_axis(list, canvas, state, facts, scale);
  draw_line(list, canvas, state.transfer, lit, scale);
  surfaces.draw(list, state);
  if (on_surface) {
    explain("Drag: another share of the mass, between those of its neighbours.");
  } else if (lit) {
    const ControlPoint& point = state.transfer.points().at(*lit);
    ImGui::SetTooltip("density %.4g, opacity %.3g", state.transfer.axis.value_at(point.position),
                      point.opacity);
  } else {
    explain("Double click: add a point. Drag: move it. Right button: remove it.");
  }
  ImGui::Dummy({0, (kStripHeight + kEditorTick + 2) * scale + 2.1f * letter - margin});
}

constexpr double kLeastScale = 0.01, kMostScale = 100;  // range of the opacity scale
constexpr float kSwatchShare = 0.55f;                   // of a line in the menu of colour maps

/// Draws a colour map in the right part of a widget's rectangle.
void draw_swatch(ColorMap map, ImVec2 corner, ImVec2 size, float inset_share) {
  const float inset = std::round(inset_share * size.y);
  draw_color_row(*ImGui::GetWindowDrawList(), map,
                 {corner.x + (1 - kSwatchShare) * size.x, corner.y + inset},
                 {corner.x + size.x - inset, corner.y + size.y - inset});
}

void draw_color_maps(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  begin_row(field);
  const bool is_turned = is_inverted(state.transfer.colors);
  std::string_view present;
  for (const auto& [name, map] : kColorMaps)
    if (map == (is_turned ? inverted(state.transfer.colors) : state.transfer.colors))
      present = name;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetFrameHeight();
  const ImVec2 size{ImGui::GetContentRegionAvail().x - height, height};  // without the arrow
  if (begin_combo("##colors", present.data())) {
    for (const auto& [name, plain] : std::span(kColorMaps).first(kPlainColorMaps)) {
      const ColorMap map = is_turned ? inverted(plain) : plain;
      const ImVec2 line = ImGui::GetCursorScreenPos();
      const ImVec2 extent{ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight()};
      if (ImGui::Selectable(name.data(), map == state.transfer.colors)) state.transfer.colors = map;
      draw_swatch(map, line, extent, 0.18F);
    }
    ImGui::EndCombo();
  }
  draw_swatch(state.transfer.colors, corner, size, 0.22F);
  begin_row("");
  bool turned = is_inverted(state.transfer.colors);
  if (ImGui::Checkbox("inverted", &turned)) state.transfer.colors = inverted(state.transfer.colors);
}

/// Returns the axis of the other kind with the same high end, from 0 or four decades below.
ValueAxis of_other_kind(const ViewState& state, const PanelFacts& facts, bool logarithmic) {
  const ValueAxis& axis = state.transfer.axis;
  if (state.axis_follows_density || !(axis.high > 0)) return axis_up_to(facts.peak, logarithmic);
  return axis_up_to(axis.high, logarithmic);
}

/// Gives the opacities anew by the mass of the density that is shown, or of the first one.
void follow_mass(ViewState& state, const PanelFacts& facts) {
  state.transfer.follows_mass = true;
  if (!facts.grid || !facts.file_facts.has_density) return;
  const Vec3 box = facts.grid->bounds().extent();
  state.transfer.follow_mass(
      opacities_by_mass(*facts.masses, state.transfer.axis, box.x * box.y * box.z));
}

void draw_axis_kind(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  const PanelFacts& facts = panel.facts;
  begin_row(field);
  ValueAxis& axis = state.transfer.axis;
  const ValueAxis before = axis;
  constexpr std::array<std::string_view, 2> kKinds{"linear", "logarithmic"};
  if (clicked_name(kKinds, axis.logarithmic ? 1 : 0))
    set_axis_kind(state.transfer, of_other_kind(state, facts, !axis.logarithmic));
  begin_row("");
  if (ImGui::Checkbox("follows the peak", &state.axis_follows_density) &&
      state.axis_follows_density)
    axis = axis_up_to(facts.peak, axis.logarithmic);
  explain("The axis ends at the peak of every new density");
  if (state.transfer.follows_mass && axis != before) follow_mass(state, facts);
}

void set_window_level(ViewState& state, const WindowLevel& wanted) {
  const ValueAxis axis = with_window_level(state.transfer.axis, wanted);
  if (axis == state.transfer.axis) return;
  state.transfer.axis = axis;
  state.axis_follows_density = false;
}

/// Draws the length of the axis or its middle.
void draw_axis_number(const ViewField& field, Panel& panel) {
  constexpr double kShareAPixel = 0.005;
  const bool range = field.title() == "axis range", decades = panel.state.transfer.axis.logarithmic;
  WindowLevel wanted = window_level(panel.state.transfer.axis);
  const double unit = range || !decades ? wanted.window : wanted.level;
  begin_row(field);
  if (ImGui::DragScalar("##number", ImGuiDataType_Double, range ? &wanted.window : &wanted.level,
                        static_cast<float>(kShareAPixel * unit), nullptr, nullptr,
                        range && decades ? "%.2f decades" : "%.4g",
                        ImGuiSliderFlags_NoRoundToFormat) &&
      !is_being_typed())
    set_window_level(panel.state, wanted);
}

void draw_opacity(const ViewField& field, Panel& panel) {
  draw_transfer_editor(panel.state, panel.facts, panel.layout);
  begin_row(field);
  log_slider("##factor", panel.state.transfer.opacity_scale, kLeastScale, kMostScale,
             "all \u00d7 %.3g");
}

void draw_presets(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  begin_row(field);
  if (!begin_combo("##preset", state.transfer.follows_mass ? "by mass" : "choose")) return;
  if (ImGui::Selectable("by mass", state.transfer.follows_mass)) follow_mass(state, panel.facts);
  explain("Haze and core from the mass of every new density");
  for (const OpacityPreset& preset : kOpacityPresets) {
    if (ImGui::Selectable(preset.name.data())) apply_preset(state.transfer, preset.name);
    explain(std::string(preset.summary));
  }
  ImGui::EndCombo();
}

void draw_color_file(const ViewField& field, Panel& panel) {
  file_rows(field, panel.layout.transfer_path, panel.actions.save_transfer,
            panel.actions.load_transfer);
}

}  // namespace

std::span<const ControlDrawer> transfer_drawers() {
  static constexpr ControlDrawer kDrawers[] = {
      {"colours", draw_color_maps},     {"opacity", draw_opacity},
      {"preset", draw_presets},         {"colour axis", draw_axis_kind},
      {"axis range", draw_axis_number}, {"axis middle", draw_axis_number},
      {"colour file", draw_color_file},
  };
  return kDrawers;
}

}  // namespace skde::view::ui
