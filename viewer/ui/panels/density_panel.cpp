#include "viewer/ui/panels/side_panels.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cli/text/number_format.hpp"
#include "core/kernel/with_profile.hpp"
#include "io/points/columns/width_columns.hpp"
#include "viewer/session/density_controls.hpp"
#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {
namespace {

constexpr int kLeastCells = 16, kMostCells = 1024;  // range of the slider; more may be typed

void draw_kernel(ViewState& state) {
  begin_row("kernel", "How the kernel decreases from its sample to the ellipsoid's surface");
  if (io::is_mixture(state.cloud.columns.widths)) return wrapped_text("Gaussians of the mixture");
  if (!begin_combo("##kernel", state.density.kernel->name.data())) return;
  for (const KernelFunction kernel : kKernelFunctions)
    if (ImGui::Selectable(kernel->name.data(), kernel == state.density.kernel))
      state.density.kernel = kernel;
  ImGui::EndCombo();
}

/// Draws a slider of cells. Returns true if the number has changed to one that a grid can have.
bool cells_slider(const char* id, std::int64_t& cells) {
  const std::int64_t least = std::min<std::int64_t>(kLeastCells, cells);
  const std::int64_t most = std::max<std::int64_t>(kMostCells, cells);
  std::int64_t wanted = cells;
  if (!ImGui::SliderScalar(id, ImGuiDataType_S64, &wanted, &least, &most, "%lld",
                           ImGuiSliderFlags_Logarithmic) ||
      is_being_typed())
    return false;
  constexpr std::int64_t kLimit = 1 << 14;  // so that a typing error does not fill all memory
  wanted = std::clamp<std::int64_t>(wanted, 1, kLimit);
  if (wanted == cells) return false;
  cells = wanted;
  return true;
}

void draw_three_dims(std::array<std::int64_t, 3>& dims) {
  constexpr std::array kNames{"cells along x", "cells along y", "cells along z"};
  for (int axis = 0; axis < 3; ++axis) {
    ImGui::PushID(axis);
    begin_row(kNames[axis]);
    cells_slider("##dims", dims[axis]);
    ImGui::PopID();
  }
}

/// Draws the cells along the longest side; for a grid given by its spacing, the resulting number.
void draw_longest(ViewState& state, const PanelFacts& facts) {
  std::int64_t cells = state.density.grid.dims ? (*state.density.grid.dims)[0] : kDefaultCells;
  if (!state.density.grid.dims && state.density.grid.spacing && facts.grid)
    cells = *std::max_element(facts.grid->dims.begin(), facts.grid->dims.end());
  begin_row("cells",
            fmt::format("Along the axis that needs the most; cubic cells, unless the kernel "
                        "reaches more than {:g} times as far along one axis as along another",
                        kUnlikeReaches)
                .c_str());
  if (!cells_slider("##dims", cells)) return;
  state.density.grid.dims = {cells, 0, 0};
  state.density.grid.spacing.reset();  // dims and spacing would contradict each other
}

void draw_grid(ViewState& state, const PanelFacts& facts) {
  if (state.density.like) {
    begin_row("grid", "The grid of another volume");
    if (ImGui::Button("as given; use a grid of its own")) state.density.like.reset();
  } else if (state.density.grid.dims && (*state.density.grid.dims)[1] > 0) {
    draw_three_dims(*state.density.grid.dims);
  } else {
    draw_longest(state, facts);
  }
  if (!facts.grid) return;
  const Grid& grid = *facts.grid;
  const auto& [nx, ny, nz] = grid.dims;
  begin_row("grid");
  const double bytes = static_cast<double>(grid.bytes(state.density.precision));
  wrapped_text(fmt::format("{} × {} × {}, {}", nx, ny, nz, format_bytes(bytes)));
  explain(fmt::format("{} cells of {:.4g} × {:.4g} × {:.4g}",
                      cli::format_count(static_cast<std::uint64_t>(grid.cells())), grid.spacing.x,
                      grid.spacing.y, grid.spacing.z));
}

void draw_engine(ViewState& state, const PanelFacts& facts) {
  begin_row("engine", "Method that computes the density");
  const std::string engine = state.density.is_automatic() ? "auto" : state.density.engine;
  if (!begin_combo("##engine", engine.c_str(), ImGuiComboFlags_HeightLarge)) return;
  if (ImGui::Selectable("auto", state.density.is_automatic())) state.density.engine.clear();
  explain("The fastest engine for samples, kernel and grid");
  for (const EngineFact& fact : facts.engines) {
    const bool unavailable = !fact.unavailable.empty();
    ImGui::BeginDisabled(unavailable);
    if (ImGui::Selectable(fact.name.c_str(), engine == fact.name)) {
      state.density.engine = fact.name;
      state.density.device.reset();  // it only limits the automatic choice
    }
    ImGui::EndDisabled();
    explain(unavailable ? fmt::format("{}\nNot here: {}", fact.summary, fact.unavailable)
                        : fact.summary);
  }
  ImGui::EndCombo();
}

/// Draws the limit on the automatic choice of an engine.
void draw_device(ViewState& state) {
  if (!state.density.is_automatic()) return;
  begin_row("machine", "Device on which to look for the fastest engine");
  constexpr std::array<std::pair<std::string_view, std::optional<Device>>, 3> kChoices{
      {{"any", std::nullopt}, {"cpu", Device::cpu}, {"cuda", Device::cuda}}};
  choose_by_button(kChoices, state.density.device);
}

/// Draws whether the box and the axis of colours stay while h changes.
void draw_box_and_axis(ViewState& state, const PanelFacts& facts) {
  begin_row("box and axis", "Bounds of the box, and the axis of colours");
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

/// Draws whether samples move before the sum, unless they have bandwidths of their own.
void draw_sharpening(ViewState& state) {
  if (state.cloud.columns.shaped()) return;
  begin_row("sharpen", "Data sharpening: about half the error for the same samples");
  if (ImGui::Checkbox("less bias", &state.density.sharpen))
    state.density.adaptive.reset();  // the two contradict each other
  explain(
      "Each sample moves towards its neighbours before the sum, which removes the leading bias");
}

void draw_normalization(ViewState& state) {
  constexpr std::array<std::pair<Normalization, const char*>, 3> kMeanings{
      {{Normalization::density, "integrates to 1 over all space"},
       {Normalization::box, "integrates to 1 over the box"},
       {Normalization::count, "integrates to the sum of the weights: samples per unit volume"}}};
  begin_row("values", "Integral of the density");
  if (!begin_combo("##normalization", word_of(kNormalizations, state.density.normalization).data()))
    return;
  for (const auto& [value, meaning] : kMeanings) {
    if (ImGui::Selectable(word_of(kNormalizations, value).data(),
                          value == state.density.normalization))
      state.density.normalization = value;
    explain(meaning);
  }
  ImGui::EndCombo();
}

}  // namespace

void draw_density_panel(ViewState& state, const PanelFacts& facts, const PanelLayout& layout,
                        PanelActions& actions) {
  if (facts.is_volume_file) {
    quiet_text("Another program computed this volume; open its samples to change it.");
    return;
  }
  draw_kernel(state);
  draw_bandwidth_rows(state, facts, layout, actions);
  if (!facts.is_stream) draw_sharpening(state);
  draw_grid(state, facts);
  if (!facts.is_stream) draw_engine(state, facts);
  draw_normalization(state);
}

void draw_details_panel(ViewState& state, const PanelFacts& facts, PanelActions& actions) {
  draw_text_controls(bandwidth_controls(), state, actions.complaint);
  draw_text_controls(grid_controls(), state, actions.complaint);
  draw_box_and_axis(state, facts);
  draw_device(state);
  draw_text_controls(machine_controls(), state, actions.complaint);
  begin_row("precision", "Type of the sums and of the volume");
  choose_by_button(kPrecisions, state.density.precision);
  constexpr Words<bool, 2> kBelow{{{"0", false}, {"kept", true}}};
  begin_row("below 0", "Treatment of negative values from the rounding of transforms");
  choose_by_button(kBelow, state.density.keep_negatives);
}

}  // namespace skde::view::ui
