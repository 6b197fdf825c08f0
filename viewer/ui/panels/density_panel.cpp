#include "viewer/ui/panels/panels.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <optional>

#include "viewer/session/density_controls.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/score_plot.hpp"

namespace skde::view::ui {
namespace {

constexpr double kSliderFactor = 20;  // the slider spans a 20th of Silverman's h to 20 times it

constexpr const char *kOwn = "own h", *kLengths = "own lengths", *kMatrix = "own matrix";

void draw_lengths(Vec3& lengths, const PanelFacts& facts) {
  const Vec3 box = facts.grid ? facts.grid->bounds().extent() : Vec3{1, 1, 1};
  constexpr double kLeast = 1e-3, kMost = 1;  // shares of the box's edge
  const auto row = [](const char* name, const char* id, double& length, double edge) {
    begin_row(name, "A half axis of the ellipsoid, in world units");
    log_slider(id, length, kLeast * edge, kMost * edge, "%.4g");
  };
  row("hx", "##hx", lengths.x, box.x);
  row("hy", "##hy", lengths.y, box.y);
  row("hz", "##hz", lengths.z, box.z);
}

/// The h of data-driven rules is known only from the density in view, if that used the rule.
bool is_known_later(BandwidthRule rule) {
  return rule == BandwidthRule::automatic || is_data_driven(rule);
}

std::optional<double> ruled_h(BandwidthRule rule, const PanelFacts& facts) {
  if (is_known_later(rule)) return std::nullopt;
  if (rule == BandwidthRule::scott) return facts.suggested.scott;
  if (rule == BandwidthRule::normal_scale) return facts.suggested.normal_scale;
  return rule == BandwidthRule::normal_scott ? facts.suggested.normal_scott
                                             : facts.suggested.silverman;
}

/// Returns h of the spec; for a rule, the h that it gives. None if it is not known yet.
std::optional<double> present_h(const BandwidthSpec& spec, const PanelFacts& facts) {
  if (const double* h = std::get_if<double>(&spec.bandwidth)) return *h;
  const BandwidthRule* rule = std::get_if<BandwidthRule>(&spec.bandwidth);
  const std::optional<double> ruled = rule == nullptr ? std::nullopt : ruled_h(*rule, facts);
  return ruled ? ruled : facts.h;
}

/// Draws the menu of rules, each with its h if that is known, and of what the user may give
/// instead. A rule that finds no h for these samples cannot be chosen.
void draw_rules(BandwidthSpec& spec, const PanelFacts& facts) {
  const BandwidthRule* const chosen = std::get_if<BandwidthRule>(&spec.bandwidth);
  const char* const own = std::holds_alternative<Vec3>(spec.bandwidth)         ? kLengths
                          : std::holds_alternative<Symmetric3>(spec.bandwidth) ? kMatrix
                                                                               : kOwn;
  const auto entry = [&](const std::string& name, bool enabled, bool present) {
    ImGui::BeginDisabled(!enabled);
    const bool clicked = ImGui::Selectable(name.c_str(), present) && !present;
    ImGui::EndDisabled();
    return clicked;
  };
  const char* const present = chosen ? word_of(kBandwidthRules, *chosen).data() : own;
  if (!begin_combo("##rule", present, ImGuiComboFlags_HeightLarge)) return;
  for (const auto& [name, rule] : kBandwidthRules) {
    const std::optional<double> h = ruled_h(rule, facts);
    const bool found = facts.suggested.silverman && (h || is_known_later(rule));
    if (entry(h ? fmt::format("{}  {:.3g}", name, *h) : std::string(name), found, present == name))
      spec.bandwidth = rule;
  }
  if (entry(kOwn, facts.h.has_value(), present == kOwn)) spec.bandwidth = *facts.h;
  // Lengths start with those of the current kernel, so that the picture hardly changes.
  if (entry(kLengths, facts.lengths.has_value(), present == kLengths))
    spec.bandwidth = *facts.lengths;
  ImGui::EndCombo();
}

/// Draws the slider of h; a drag makes it the user's own.
void draw_h(BandwidthSpec& spec, const PanelFacts& facts, PanelActions& actions) {
  begin_row("h", "Ctrl and a click lets you type a number");
  std::optional<double> h = present_h(spec, facts);
  ImGui::BeginDisabled(!h);
  double value = h.value_or(1);
  const double middle = facts.suggested.silverman.value_or(facts.h.value_or(1));
  if (log_slider("##h", value, middle / kSliderFactor, middle * kSliderFactor, "%.4g"))
    spec.bandwidth = value;
  actions.holds_frame |= ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left);
  ImGui::EndDisabled();
}

/// Draws the curve, where a click or a drag takes h.
void draw_curve(BandwidthSpec& spec, const PanelFacts& facts, PanelActions& actions, float scale) {
  constexpr float kHeight = 92;  // pixels at scale 1
  const ScoreCurve& curve = *facts.score.curve;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ScorePlot plot{
      corner, {corner.x + ImGui::GetContentRegionAvail().x, corner.y + kHeight * scale}, scale};
  ImGui::InvisibleButton("##curve", {plot.lower_right.x - corner.x, kHeight * scale});
  explain("Score over h, the lower the better; a click or a drag takes h");
  if (ImGui::IsItemActive()) {
    spec.bandwidth = plot.h_at(curve, ImGui::GetIO().MousePos.x);
    actions.holds_frame = true;
  }
  plot.draw(*ImGui::GetWindowDrawList(), curve, present_h(spec, facts));
}

/// Draws the choice of the score, its curve, and what it finds.
void draw_score(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  const PanelFacts& facts = panel.facts;
  if (facts.own_kernels || !has_form(state.density.bandwidth)) return;
  begin_row(field);
  draw_value(view_field("score"), state);
  if (state.score == ScoreShown::off) return;
  const ScoreFacts& score = facts.score;
  if (score.curve && score.curve->curve.size() > 1) {
    draw_curve(state.density.bandwidth, facts, panel.actions, panel.layout.scale);
    quiet_text(score_text(*score.curve, state.score));
    for (const Warning& warning : score.curve->warnings)
      quiet_text("Warning: " + text_with_controls(warning));
  } else if (score.problem) {
    quiet_text(text_with_controls(*score.problem));
  } else if (score.status.busy) {
    ImGui::ProgressBar(static_cast<float>(score.status.share.value_or(0)), {-1, 0},
                       score.status.stage.c_str());
  }
}

void draw_bandwidth(const ViewField& field, Panel& panel) {
  BandwidthSpec& spec = panel.state.density.bandwidth;
  begin_row(field);
  if (panel.facts.own_kernels) return wrapped_text("per-sample H");
  draw_rules(spec, panel.facts);
  if (Vec3* const lengths = std::get_if<Vec3>(&spec.bandwidth))
    draw_lengths(*lengths, panel.facts);
  else if (has_form(spec))
    draw_h(spec, panel.facts, panel.actions);
}

constexpr std::int64_t kLeastCells = 16, kMostCells = 1024;  // of the slider; more may be typed

/// Draws the cells along the longest side; for a grid given by its spacing, the resulting number.
void draw_longest(GridSpec& spec, const PanelFacts& facts) {
  std::int64_t cells = spec.dims ? (*spec.dims)[0] : kDefaultCells;
  if (!spec.dims && spec.spacing && facts.grid) cells = std::ranges::max(facts.grid->dims);
  const std::int64_t least = std::min(kLeastCells, cells), most = std::max(kMostCells, cells);
  std::int64_t wanted = cells;
  ImGui::SliderScalar("##dims", ImGuiDataType_S64, &wanted, &least, &most, "%lld",
                      ImGuiSliderFlags_Logarithmic);
  if (is_being_typed() || wanted == cells) return;
  constexpr std::int64_t kLimit = 1 << 14;  // so that a typing error does not fill all memory
  spec.dims = {std::clamp<std::int64_t>(wanted, 1, kLimit), 0, 0};
  spec.spacing.reset();  // dims and spacing would contradict each other
}

void draw_cells(const ViewField& field, Panel& panel) {
  GridSpec& spec = panel.state.density.grid;
  begin_row(field);
  if (panel.state.density.like)
    quiet_text("those of the file");
  else if (spec.dims && (*spec.dims)[1] > 0)
    draw_value(field, panel.state);
  else
    draw_longest(spec, panel.facts);
  if (!panel.facts.grid) return;
  const auto& [nx, ny, nz] = panel.facts.grid->dims;
  const auto bytes = static_cast<double>(panel.facts.grid->bytes(panel.state.density.precision));
  begin_row("");
  quiet_text(fmt::format("{} \u00d7 {} \u00d7 {}, {}", nx, ny, nz, format_bytes(bytes)));
}

void draw_engine(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  if (panel.facts.is_stream) return;
  begin_row(field);
  DensityRequest& density = state.density;
  std::string engine = density.engine;
  if (density.is_automatic()) {
    engine = kAutomaticEngine;
    for (const auto& [name, device] : kHardwareWords)
      if (density.device == device) engine = name;
  }
  if (!begin_combo("##engine", engine.c_str(), ImGuiComboFlags_HeightLarge)) return;
  const auto entry = [&](std::string_view name, const std::string& meaning) {
    if (ImGui::Selectable(name.data(), engine == name)) {
      density.device.reset();
      density.name_engine(name);
    }
    explain(meaning);
  };
  entry(kAutomaticEngine, "The fastest engine for samples, kernel and grid");
  for (const auto& [name, device] : kHardwareWords) entry(name, "The fastest one on this device");
  for (const EngineFact& fact : panel.facts.engines) {
    const bool unavailable = !fact.unavailable.empty();
    ImGui::BeginDisabled(unavailable);
    entry(fact.name, unavailable ? fmt::format("{}\nNot here: {}", fact.summary, fact.unavailable)
                                 : fact.summary);
    ImGui::EndDisabled();
  }
  ImGui::EndCombo();
}

/// Draws whether the box and the axis of colours stay while h changes.
void draw_box_and_axis(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  const PanelFacts& facts = panel.facts;
  begin_row(field);
  bool stay = state.density.grid.bounds && !state.axis_follows_density;
  ImGui::BeginDisabled(!facts.grid || facts.is_stream);
  if (ImGui::Checkbox("stay when h changes", &stay)) {
    state.axis_follows_density = !stay;
    state.density.grid.bounds.reset();
    if (stay) state.density.grid.bounds = facts.grid->bounds();
  }
  ImGui::EndDisabled();
  explain("While h is dragged they stay anyway, until the mouse is released");
}

void draw_sharpening(const ViewField& field, Panel& panel) {
  if (!panel.facts.is_stream) draw_field(field, panel.state, panel.actions.complaint);
}

}  // namespace

std::span<const ControlDrawer> density_drawers() {
  static constexpr ControlDrawer kDrawers[] = {
      {"bandwidth", draw_bandwidth}, {"score", draw_score},   {"cells", draw_cells},
      {"sharpen", draw_sharpening},  {"engine", draw_engine}, {"box and axis", draw_box_and_axis}};
  return kDrawers;
}

}  // namespace skde::view::ui
