#include "viewer/ui/property_rows.hpp"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "viewer/session/density_controls.hpp"
#include "viewer/ui/imgui_input.hpp"
#include "viewer/ui/theme_drawing.hpp"

namespace skde::view::ui {
namespace {

constexpr float kNameShare = 0.31f, kNameLetters = 5.6f;  // of a line; least, in letter heights
constexpr float kWrapLetters = 48;                        // of a tooltip, in letter heights

/// Returns the text of a field, or its numbers with commas between them.
std::string text_of(const ViewField& field, const ViewState& state) {
  if (field.print) return field.print(state);
  const nlohmann::ordered_json value = field.put(state);
  return value.is_string() ? value.get<std::string>()
                           : fmt::format("{}", fmt::join(value.get<std::vector<double>>(), ","));
}

/// Draws a text, which counts once the user has finished typing it. Returns true if it has changed.
bool draw_text(const ViewField& field, const char* id, ViewState& state) {
  const std::string present = text_of(field, state);
  std::string wanted = present;
  const bool changed = ImGui::InputTextWithHint(id, field.widget.text, &wanted);
  if (!changed || is_being_typed() || wanted == present) return false;
  field.choose(state, wanted);
  return true;
}

/// Draws buttons, or a menu, of a field's words. Returns true if another one was chosen.
bool draw_words(const ViewField& field, const char* id, ViewState& state) {
  const std::vector<std::string>& words = field.type.words;
  const std::string present = field.print(state);
  std::optional<std::size_t> chosen;
  if (field.widget.menu && begin_combo(id, present.c_str())) {
    for (std::size_t i = 0; i < words.size(); ++i)
      if (ImGui::Selectable(words[i].c_str(), words[i] == present) && words[i] != present)
        chosen = i;
    ImGui::EndCombo();
  } else if (!field.widget.menu) {
    const std::vector<std::string_view> names(words.begin(), words.end());
    const auto pressed = std::ranges::find(words, present) - words.begin();
    chosen = clicked_name(names, static_cast<std::size_t>(pressed));
  }
  if (chosen) field.choose(state, words[*chosen]);
  return chosen.has_value();
}

constexpr float kSurfaceReach = 5;  // pixels at scale 1

}  // namespace

bool begin_combo(const char* id, const char* present, int flags) {
  if (ImGui::BeginCombo(id, present, flags)) return true;
  if (!ImGui::IsItemFocused() || !key_pressed(GLFW_KEY_ENTER)) return false;
  ImGui::PushID(id);
  ImGui::OpenPopup(ImGui::GetID("##ComboPopup"));  // the name that Dear ImGui gives the list
  ImGui::PopID();
  return false;
}

void begin_row(const char* name, const char* explanation) {
  const float left = ImGui::GetCursorPosX();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(name);
  if (explanation != nullptr) explain(explanation);
  ImGui::SameLine(left +
                  std::round(std::max(kNameShare * width, kNameLetters * ImGui::GetFontSize())));
  ImGui::SetNextItemWidth(-FLT_MIN);
}

void plain_text(const std::string& text) {
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
}

void wrapped_text(const std::string& text) {
  ImGui::AlignTextToFramePadding();
  plain_text(text);
}

void quiet_text(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  plain_text(text);
  ImGui::PopStyleColor();
}

bool begin_dialog(const char* title, float width, float height) {
  constexpr float kMostShare = 0.94F;  // of the window
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float letter = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(width * letter, kMostShare * display.x),
                            std::min(height * letter, kMostShare * display.y)});
  return ImGui::BeginPopupModal(title, nullptr, kFlags);
}

void explain(const std::string& text) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  // A disabled widget is faint, but its explanation is not.
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 1);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(kWrapLetters * ImGui::GetFontSize());
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

void same_line() { ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x); }

bool toggle_button(const char* label, bool chosen, float width) {
  const ImGuiCol color = chosen ? ImGuiCol_ButtonActive : ImGuiCol_FrameBg;
  ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(color));
  const bool clicked = fitted_button(label, width);
  ImGui::PopStyleColor();
  return clicked;
}

bool is_being_typed() { return ImGui::IsItemActive() && ImGui::GetIO().WantTextInput; }

bool slider(const char* id, double& value, double low, double high, const char* format,
            bool logarithmic) {
  double wanted = value;
  const ImGuiSliderFlags flags = logarithmic ? ImGuiSliderFlags_Logarithmic : 0;
  if (!ImGui::SliderScalar(id, ImGuiDataType_Double, &wanted, &low, &high, format,
                           flags | ImGuiSliderFlags_NoRoundToFormat) ||
      is_being_typed() || !std::isfinite(wanted) || wanted == value)
    return false;
  value = wanted;
  return true;
}

bool log_slider(const char* id, double& value, double low, double high, const char* format) {
  double wanted = value;
  if (!slider(id, wanted, std::min(low, value), std::max(high, value), format, true)) return false;
  if (wanted > 0) value = wanted;
  return wanted > 0;
}

void file_rows(const ViewField& field, std::string& path, std::optional<std::string>& save,
               std::optional<std::string>& load) {
  begin_row(field);
  ImGui::InputText("##path", &path);
  begin_row("");
  WidgetRow row{"save", "load"};
  if (row.button("save", nullptr, !path.empty())) save = path;
  if (row.button("load", nullptr, !path.empty())) load = path;
}

std::optional<std::size_t> clicked_name(std::span<const std::string_view> names,
                                        std::size_t pressed) {
  WidgetRow row(names);
  std::optional<std::size_t> clicked;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (toggle_button(names[i].data(), i == pressed, row.next()) && i != pressed) clicked = i;
  return clicked;
}

void begin_row(const ViewField& field) {
  const char* const name = field.widget.name;
  if (name == nullptr)
    beside(field.widget.text);
  else
    begin_row(name, *name == '\0' ? nullptr : field.explanation().c_str());
}

bool draw_value(const ViewField& field, ViewState& state) {
  const FieldWidget& widget = field.widget;
  const std::string id = fmt::format("##{}", widget.name == nullptr ? "" : widget.name);
  if (!field.type.words.empty()) return draw_words(field, id.c_str(), state);
  const auto member = field.member ? field.member(state) : decltype(field.member(state))();
  if (bool* const* const on = std::get_if<bool*>(&member)) {
    bool wanted = **on;
    const bool changed = ImGui::Checkbox(widget.text, &wanted);
    if (changed && field.choose)
      field.choose(state, wanted ? "true" : "false");
    else
      **on = wanted;
    if (widget.name == nullptr || *widget.name == '\0') explain(field.explanation());
    return changed;
  }
  if (double* const* const number = std::get_if<double*>(&member)) {
    double wanted = **number;
    const bool changed =
        slider(id.c_str(), wanted, widget.least, widget.most, widget.text, widget.least > 0);
    if (changed) **number = std::clamp(wanted, widget.least, widget.most);
    return changed;
  }
  if (field.choose) return draw_text(field, id.c_str(), state);
  return ImGui::InputText(id.c_str(), std::get<std::string*>(member));
}

bool draw_field(const ViewField& field, ViewState& state, std::string& complaint) {
  if (field.shown != nullptr && !field.shown(state)) return false;
  begin_row(field);
  try {
    return draw_value(field, state);
  } catch (const Error& error) {
    complaint = fmt::format("\u201c{}\u201d: {}", field.title(), text_with_controls(error));
    return false;
  }
}

void fact_table(const char* id, std::span<const ReadoutLine> lines) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_PadOuterX;
  if (lines.empty() || !ImGui::BeginTable(id, 2, kFlags)) return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch, 0.4f);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 0.6f);
  for (const ReadoutLine& line : lines) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    quiet_text(line.label);
    ImGui::TableNextColumn();
    plain_text(line.value);
  }
  ImGui::EndTable();
}

std::vector<FlowedWidget> flow_widgets(std::span<const float> least, float room, float gap) {
  std::vector<FlowedWidget> flowed;
  for (std::size_t begin = 0, end = 0; begin < least.size(); begin = end) {
    float taken = 0;
    while (end < least.size() && (end == begin || taken + gap + least[end] <= room)) {
      taken += least[end] + (end == begin ? 0 : gap);
      ++end;
    }
    const auto line = least.subspan(begin, end - begin);
    const auto count = static_cast<float>(line.size());
    const float equal = std::floor((room - gap * (count - 1)) / count);
    const bool is_even = std::ranges::max(line) <= equal;
    const float more = std::max(0.0F, std::floor((room - taken) / count));
    for (const float width : line)
      flowed.push_back({is_even ? equal : std::min(width + more, room), false});
    flowed[begin].new_line = begin > 0;
  }
  return flowed;
}

WidgetRow::WidgetRow(std::span<const std::string_view> texts) : left_(ImGui::GetCursorPosX()) {
  constexpr float kLeastMargin = 0.25F;  // of the usual one
  const ImGuiStyle& style = ImGui::GetStyle();
  const float room = ImGui::GetContentRegionAvail().x, gap = style.ItemInnerSpacing.x;
  for (const float share : {1.0F, kLeastMargin}) {
    std::vector<float> least;
    for (const std::string_view text : texts) {
      const float width = ImGui::CalcTextSize(text.data(), text.data() + text.size(), true).x;
      least.push_back(std::ceil(width + 2 * share * style.FramePadding.x));
    }
    std::vector<FlowedWidget> flowed = flow_widgets(least, room, gap);
    const bool wraps = std::ranges::any_of(flowed, &FlowedWidget::new_line);
    if (widgets_.empty() || !wraps) widgets_ = std::move(flowed);
    if (!wraps) return;
  }
}

float WidgetRow::next() {
  const FlowedWidget& widget = widgets_.at(begun_);
  if (widget.new_line)
    ImGui::SetCursorPosX(left_);
  else if (begun_ > 0)
    same_line();
  ++begun_;
  return widget.width;
}

bool WidgetRow::button(const char* label, const char* explanation, bool enabled) {
  ImGui::BeginDisabled(!enabled);
  const bool clicked = fitted_button(label, next());
  ImGui::EndDisabled();
  if (explanation != nullptr) explain(explanation);
  return clicked;
}

bool fitted_button(const char* label, float width) {
  const ImVec2 usual = ImGui::GetStyle().FramePadding;
  const float spare = 0.5F * (width - ImGui::CalcTextSize(label, nullptr, true).x);
  const bool fits = width <= 0 || spare >= usual.x;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      {fits ? usual.x : std::max(spare, 0.0F), usual.y});
  const bool clicked = ImGui::Button(label, {width, 0});
  ImGui::PopStyleVar();
  return clicked;
}

void beside(const char* text) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float needed = ImGui::GetFrameHeight() + style.ItemInnerSpacing.x +
                       ImGui::CalcTextSize(text, nullptr, true).x;
  const float right = ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + style.ItemSpacing.x + needed <= right)
    ImGui::SameLine();
  else
    begin_row("");
}

std::optional<float> SurfaceLines::place(const ViewState& state, std::size_t surface) const {
  if (state.mode != RenderMode::isosurface || surface >= state.masses.size()) return std::nullopt;
  const auto region = masses.region(state.masses[surface]);
  if (!region) return std::nullopt;
  const auto share = static_cast<float>(axis.share_of(region->level));
  return std::round(std::lerp(upper_left.x, lower_right.x, share));
}

void SurfaceLines::drag(ViewState& state, std::size_t surface) const {
  const float width = lower_right.x - upper_left.x;
  const double share = std::clamp<double>((ImGui::GetIO().MousePos.x - upper_left.x) / width, 0, 1);
  double least = kLeastMass, most = 1 - kLeastMass;
  const double now = state.masses[surface];
  for (std::size_t i = 0; i < state.masses.size(); ++i) {
    if (i == surface) continue;
    if (state.masses[i] < now) least = std::max(least, state.masses[i] + kLeastMass);
    if (state.masses[i] > now) most = std::min(most, state.masses[i] - kLeastMass);
  }
  if (least > most) return;  // no room between its neighbours
  state.masses[surface] = std::clamp(masses.mass_above(axis.value_at(share)), least, most);
}

bool SurfaceLines::handle_mouse(ViewState& state, std::optional<std::size_t>& grabbed) const {
  const float mouse = ImGui::GetIO().MousePos.x;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) || !ImGui::IsItemActive()) grabbed.reset();
  std::optional<std::size_t> over;
  float least = kSurfaceReach * scale;
  for (std::size_t i = 0; ImGui::IsItemHovered() && i < state.masses.size(); ++i) {
    const std::optional<float> x = place(state, i);
    if (!x || std::abs(*x - mouse) > least) continue;
    least = std::abs(*x - mouse);
    over = i;
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) grabbed = over;
  if (grabbed && *grabbed < state.masses.size()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1)) drag(state, *grabbed);
    return true;
  }
  return over.has_value();
}

void SurfaceLines::draw(ImDrawList& list, const ViewState& state) const {
  const ImU32 ink = packed(theme_inks().notice);
  float below = upper_left.y;  // so that texts of near lines do not cover each other
  for (std::size_t i = 0; i < state.masses.size(); ++i) {
    const std::optional<float> x = place(state, i);
    if (!x) continue;
    list.AddLine({*x, upper_left.y}, {*x, lower_right.y}, ink, 1.5F * scale);
    const std::string text = fmt::format("{:.3g} %", 100 * state.masses[i]);
    const float width = ImGui::CalcTextSize(text.c_str()).x, gap = 3 * scale;
    const float left = *x + gap + width > lower_right.x ? *x - gap - width : *x + gap;
    draw_outlined_text(list, text, {left, below}, {0, 0}, ink, scale);
    below += ImGui::GetFontSize();
  }
}

}  // namespace skde::view::ui
