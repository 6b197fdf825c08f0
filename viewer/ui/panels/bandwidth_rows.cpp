#include "viewer/ui/panels/side_panels.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <array>
#include <optional>

#include "viewer/session/density_controls.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/score_plot.hpp"
#include "viewer/ui/widget_row.hpp"

namespace skde::view::ui {
namespace {

constexpr double kSliderFactor = 20;  // the slider spans a 20th of Silverman's h to 20 times it

/// A form of the kernel's ellipsoid in the menu.
struct FormEntry {
  CovarianceForm form;
  const char* name;
  const char* summary;
};
constexpr std::array<FormEntry, 7> kForms{{
    {CovarianceForm::data, "full covariance", "H = h² S: scales and orientation of the cloud"},
    {CovarianceForm::diag, "diagonal", "H = h² diag(S): scales of the cloud, along the axes"},
    {CovarianceForm::robust, "robust", "H = h² S with a robust S: outliers change it little"},
    {CovarianceForm::iso, "round", "H = h² I: a sphere with radius h"},
    {CovarianceForm::within, "within parts", "H = h² S with S pooled over the parts of the cloud"},
    {CovarianceForm::automatic, "by score", "That of the forms above with the least score"},
    {CovarianceForm::free, "free", "All six entries of H by the score"},
}};
constexpr const char* kLengths = "three lengths";
constexpr const char* kMatrix = "given matrix";
constexpr const char* kGivenCovariance = "S of a file";

const char* form_name(const BandwidthSpec& spec) {
  if (std::holds_alternative<Vec3>(spec.bandwidth)) return kLengths;
  if (std::holds_alternative<Symmetric3>(spec.bandwidth)) return kMatrix;
  if (spec.covariance) return kGivenCovariance;
  for (const FormEntry& entry : kForms)
    if (entry.form == spec.form) return entry.name;
  return "";
}

/// Lengths or a matrix determine all of H; an h or a rule needs a form.
bool has_form(const BandwidthSpec& spec) {
  return std::holds_alternative<BandwidthRule>(spec.bandwidth) ||
         std::holds_alternative<double>(spec.bandwidth);
}

void choose_form(BandwidthSpec& spec, CovarianceForm form) {
  // An h has another unit and size in another form, so a rule has to find a new one.
  if (!has_form(spec) || ((spec.form == CovarianceForm::iso) != (form == CovarianceForm::iso) &&
                          std::holds_alternative<double>(spec.bandwidth)))
    spec.bandwidth = BandwidthRule::automatic;
  spec.form = form;
  spec.covariance.reset();  // it would override the form
}

void draw_form(BandwidthSpec& spec, const PanelFacts& facts) {
  begin_row("covariance", "Shape of the kernel's ellipsoid");
  if (!begin_combo("##covariance", form_name(spec))) return;
  for (const FormEntry& entry : kForms) {
    if (ImGui::Selectable(entry.name,
                          has_form(spec) && !spec.covariance && spec.form == entry.form))
      choose_form(spec, entry.form);
    explain(entry.summary);
  }
  const bool lengths = std::holds_alternative<Vec3>(spec.bandwidth);
  // Lengths start with those of the current kernel, so that the picture hardly changes.
  ImGui::BeginDisabled(!lengths && !facts.lengths);
  if (ImGui::Selectable(kLengths, lengths) && !lengths) spec.bandwidth = *facts.lengths;
  ImGui::EndDisabled();
  explain("H = diag(hx², hy², hz²): an ellipsoid along the axes with these half axes");
  if (std::holds_alternative<Symmetric3>(spec.bandwidth)) ImGui::Selectable(kMatrix, true);
  ImGui::EndCombo();
}

std::optional<double> ruled_h(BandwidthRule rule, const PanelFacts& facts) {
  switch (rule) {
    case BandwidthRule::scott:
      return facts.scott;
    case BandwidthRule::normal_scale:
      return facts.normal_scale;
    case BandwidthRule::normal_scott:
      return facts.normal_scott;
    case BandwidthRule::automatic:
    case BandwidthRule::lcv:
    case BandwidthRule::lscv:
    case BandwidthRule::plug_in:
      return std::nullopt;  // known only from the density in view
    case BandwidthRule::silverman:
      break;
  }
  return facts.silverman;
}

/// Returns h of the spec; for a rule, the h that it gives. None if it is not known yet.
std::optional<double> present_h(const BandwidthSpec& spec, const PanelFacts& facts) {
  if (const double* h = std::get_if<double>(&spec.bandwidth)) return *h;
  const BandwidthRule* rule = std::get_if<BandwidthRule>(&spec.bandwidth);
  const std::optional<double> ruled = rule == nullptr ? std::nullopt : ruled_h(*rule, facts);
  return ruled ? ruled : facts.h;
}

void draw_h(BandwidthSpec& spec, const PanelFacts& facts, PanelActions& actions) {
  begin_row("bandwidth h", "Keys [ and ] change it too; Ctrl and a click lets you type a number");
  std::optional<double> h = present_h(spec, facts);
  ImGui::BeginDisabled(!h);
  double value = h.value_or(1);
  const double middle = facts.silverman.value_or(facts.h.value_or(1));
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
void draw_score(ViewState& state, const PanelFacts& facts, PanelActions& actions, float scale) {
  draw_field("score", state);
  if (state.score == ScoreShown::off) return;
  const ScoreFacts& score = facts.score;
  if (score.curve && score.curve->curve.size() > 1) {
    draw_curve(state.density.bandwidth, facts, actions, scale);
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

std::string rule_label(const char* name, const std::optional<double>& h) {
  return h ? fmt::format("{} {:.3g}###{}", name, *h, name) : name;
}

void draw_rule(BandwidthSpec& spec, BandwidthRule rule, const char* name,
               const std::optional<double>& h, float width) {
  const BandwidthRule* chosen = std::get_if<BandwidthRule>(&spec.bandwidth);
  const std::string label = rule_label(name, h);
  ImGui::BeginDisabled(!h);
  if (toggle_button(label.c_str(), chosen != nullptr && *chosen == rule, width))
    spec.bandwidth = rule;
  ImGui::EndDisabled();
  explain(
      h ? fmt::format("h = {:.6g} by {}'s rule, which depends on kernel and covariance", *h, name)
        : fmt::format("{}'s rule finds no bandwidth for these samples", name));
}

void draw_rules(BandwidthSpec& spec, const PanelFacts& facts) {
  begin_row("");
  WidgetRow row{rule_label("Silverman", facts.silverman), rule_label("Scott", facts.scott)};
  draw_rule(spec, BandwidthRule::silverman, "Silverman", facts.silverman, row.next());
  draw_rule(spec, BandwidthRule::scott, "Scott", facts.scott, row.next());
}

/// A data-driven bandwidth rule.
struct RuleEntry {
  BandwidthRule rule;
  const char* name;
  const char* summary;
};
constexpr std::array<RuleEntry, 4> kDataDriven{{
    {BandwidthRule::automatic, "auto",
     "By lscv where it is sound, else by plug-in: some thousand samples decide, in a moment"},
    {BandwidthRule::lscv, "lscv",
     "Least squares: the h with the least leave-one-out squared error"},
    {BandwidthRule::lcv, "lcv",
     "Likelihood: the h with the largest leave-one-out likelihood for the Gaussian kernel, then "
     "scaled to the kernel in use"},
    {BandwidthRule::plug_in, "plug-in",
     "Plug-in: the h with the least error for an estimate of the density's curvature"},
}};

/// Their h is known only from the density in view, and only if that used the rule.
void draw_data_driven(BandwidthSpec& spec, const PanelFacts& facts) {
  begin_row("data-driven", "The samples choose h; the picture stays meanwhile");
  const BandwidthRule* const chosen = std::get_if<BandwidthRule>(&spec.bandwidth);
  WidgetRow row{kDataDriven[0].name, kDataDriven[1].name, kDataDriven[2].name, kDataDriven[3].name};
  ImGui::BeginDisabled(!facts.silverman);
  for (const RuleEntry& entry : kDataDriven) {
    const bool is_chosen = chosen != nullptr && *chosen == entry.rule;
    if (toggle_button(entry.name, is_chosen, row.next())) spec.bandwidth = entry.rule;
    explain(facts.silverman ? entry.summary : "No rule finds a bandwidth for these samples");
  }
  ImGui::EndDisabled();
}

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

void draw_extents(const PanelFacts& facts) {
  if (!facts.half_extents || !facts.grid) return;
  const Vec3 e = *facts.half_extents, cell = facts.grid->spacing;
  begin_row("half extents", "Half extents of the kernel's bounding box, in cells of the grid");
  wrapped_text(
      fmt::format("{:.3g} × {:.3g} × {:.3g} cells", e.x / cell.x, e.y / cell.y, e.z / cell.z));
  explain(fmt::format("{:.4g} × {:.4g} × {:.4g} in world units", e.x, e.y, e.z));
}

}  // namespace

void draw_bandwidth_rows(ViewState& state, const PanelFacts& facts, const PanelLayout& layout,
                         PanelActions& actions) {
  BandwidthSpec& spec = state.density.bandwidth;
  if (facts.own_kernels) {
    begin_row("bandwidth h", "Set by the columns of “widths”");
    return wrapped_text("per-sample H");
  }
  draw_form(spec, facts);
  if (Vec3* lengths = std::get_if<Vec3>(&spec.bandwidth)) {
    draw_lengths(*lengths, facts);
  } else if (has_form(spec)) {
    draw_h(spec, facts, actions);
    draw_rules(spec, facts);
    draw_data_driven(spec, facts);
    draw_score(state, facts, actions, layout.scale);
  }
  draw_extents(facts);
}

}  // namespace skde::view::ui
