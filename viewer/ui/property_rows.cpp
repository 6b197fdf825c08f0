#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/imgui_input.hpp"
#include "viewer/ui/widget_row.hpp"

#include <GLFW/glfw3.h>
#include <fmt/core.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>
#include <vector>

#include "viewer/session/view_fields.hpp"

namespace skde::view::ui {
namespace {

constexpr float kNameShare = 0.31f, kNameLetters = 5.6f;  // of a line; least, in letter heights
constexpr float kWrapLetters = 24;                        // of a tooltip, in letter heights

/// Breaks a text that is too wide for a line after its last comma, where readers expect it, if both
/// lines then fit.
std::string broken_at_comma(std::string text, float width) {
  const auto fits = [width](const std::string& part) {
    return ImGui::CalcTextSize(part.c_str()).x <= width;
  };
  const std::size_t comma = text.rfind(", ");
  if (comma == text.npos || fits(text)) return text;
  if (fits(text.substr(0, comma + 1)) && fits(text.substr(comma + 2))) text[comma + 1] = '\n';
  return text;
}

std::string text_of(const TextControl& control, const ViewState& state) {
  return control.text ? control.text(state) : density_field(control.field).print(density_of(state));
}

void take_text(const TextControl& control, ViewState& state, const std::string& text) {
  if (control.take) return control.take(state, text);
  DensityOptions options = density_of(state);
  density_field(control.field).set(options, text);
  keep_density(std::move(options), state);
  if (control.then) control.then(state);
}

/// Returns the new text once the user has finished typing it.
std::optional<std::string> typed_text(const TextControl& control, const std::string& present) {
  begin_row(control.name, control.explanation);
  std::string wanted = present;
  const std::string id = fmt::format("##{}", control.name);
  const bool changed = ImGui::InputTextWithHint(id.c_str(), control.hint, &wanted);
  if (!changed || is_being_typed() || wanted == present) return std::nullopt;
  return wanted;
}

/// Draws buttons, or a menu, of a field's words. Returns true if another one was chosen.
bool draw_words(const ViewField& field, const char* id, ViewState& state) {
  const std::vector<std::string>& words = field.type.words;
  const auto present = field.put(state).get<std::string>();
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

void wrapped_text(const std::string& text) {
  ImGui::AlignTextToFramePadding();
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
}

void quiet_text(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
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

bool slider(const char* id, double& value, double low, double high, const char* format) {
  double wanted = value;
  if (!ImGui::SliderScalar(id, ImGuiDataType_Double, &wanted, &low, &high, format,
                           ImGuiSliderFlags_NoRoundToFormat) ||
      is_being_typed() || !std::isfinite(wanted) || wanted == value)
    return false;
  value = wanted;
  return true;
}

bool log_slider(const char* id, double& value, double low, double high, const char* format) {
  const double least = std::min(low, value), most = std::max(high, value);
  double wanted = value;
  constexpr ImGuiSliderFlags kFlags =
      ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoRoundToFormat;
  if (!ImGui::SliderScalar(id, ImGuiDataType_Double, &wanted, &least, &most, format, kFlags) ||
      is_being_typed())
    return false;
  if (!std::isfinite(wanted) || !(wanted > 0) || wanted == value) return false;
  value = wanted;
  return true;
}

void file_rows(const char* name, const char* explanation, std::string& path,
               std::optional<std::string>& save, std::optional<std::string>& load) {
  begin_row(name, explanation);
  ImGui::InputText("##path", &path);
  begin_row("");
  WidgetRow row{"save", "load"};
  ImGui::BeginDisabled(path.empty());
  if (fitted_button("save", row.next())) save = path;
  if (fitted_button("load", row.next())) load = path;
  ImGui::EndDisabled();
}

std::optional<std::size_t> clicked_name(std::span<const std::string_view> names,
                                        std::size_t pressed) {
  WidgetRow row(names);
  std::optional<std::size_t> clicked;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (toggle_button(names[i].data(), i == pressed, row.next()) && i != pressed) clicked = i;
  return clicked;
}

bool draw_field(std::string_view key, ViewState& state) {
  const ViewField& field = view_field(key);
  const FieldWidget& widget = field.widget;
  if (widget.name == nullptr)
    beside(widget.text);
  else
    begin_row(widget.name, *widget.name == '\0' ? nullptr : widget.tip);
  const std::string id = fmt::format("##{}", widget.name == nullptr ? "" : widget.name);
  if (!field.type.words.empty()) return draw_words(field, id.c_str(), state);
  const auto member = field.member(state);
  if (auto* const* const text = std::get_if<std::string*>(&member))
    return ImGui::InputText(id.c_str(), *text);
  if (double* const* const number = std::get_if<double*>(&member)) {
    double wanted = **number;
    const bool changed =
        ImGui::SliderScalar(id.c_str(), ImGuiDataType_Double, &wanted, &widget.least, &widget.most,
                            widget.text, ImGuiSliderFlags_Logarithmic) &&
        !is_being_typed();
    if (changed) **number = std::clamp(wanted, widget.least, widget.most);
    return changed;
  }
  const bool changed = ImGui::Checkbox(widget.text, std::get<bool*>(member));
  const bool has_line = widget.name != nullptr && *widget.name != '\0';
  if (widget.tip != nullptr && !has_line) explain(widget.tip);
  return changed;
}

void draw_text_controls(std::span<const TextControl> controls, ViewState& state,
                        std::string& complaint) {
  for (const TextControl& control : controls) {
    if (!control.is_shown(state)) continue;
    const std::optional<std::string> text = typed_text(control, text_of(control, state));
    if (!text) continue;
    try {
      take_text(control, state, *text);
    } catch (const Error& error) {
      complaint = fmt::format("\u201c{}\u201d: {}", control.name, text_with_controls(error));
    }
  }
}

bool begin_fact_table(const char* id) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_PadOuterX;
  if (!ImGui::BeginTable(id, 2, kFlags)) return false;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch, 0.4f);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 0.6f);
  return true;
}

void fact_row(const std::string& name, const std::string& value) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  quiet_text(name);
  ImGui::TableNextColumn();
  const std::string text = broken_at_comma(value, ImGui::GetContentRegionAvail().x);
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
}

}  // namespace skde::view::ui
