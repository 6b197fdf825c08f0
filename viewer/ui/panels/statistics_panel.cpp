#include "viewer/ui/panels/side_panels.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include "cli/text/number_format.hpp"
#include "core/space/grid.hpp"
#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {
namespace {

void duration_row(const char* name, const std::optional<double>& seconds) {
  if (seconds) fact_row(name, cli::format_duration(*seconds));
}

void bytes_row(const char* name, const std::optional<double>& bytes) {
  if (bytes) fact_row(name, format_bytes(*bytes));
}

void draw_density(const StatisticsFacts& facts) {
  if (!facts.path.empty()) fact_row("to the screen", facts.path);
  if (!facts.path_reason.empty()) fact_row("because", facts.path_reason);
  if (!facts.engine.empty()) fact_row("engine", facts.engine);
  if (!facts.accuracy.empty()) fact_row("accuracy", facts.accuracy);
  if (!facts.launch_policy.empty()) fact_row("launch", facts.launch_policy);
  for (const StageTime& stage : facts.stages) duration_row(stage.stage.c_str(), stage.seconds);
  duration_row("recompute", facts.recompute_seconds);
}

void draw_frames(const StatisticsFacts& facts) {
  if (facts.frame_seconds && *facts.frame_seconds > 0)
    fact_row("frame", fmt::format("{}, {:.3g} a second", cli::format_duration(*facts.frame_seconds),
                                  1 / *facts.frame_seconds));
  duration_row("raymarching", facts.march_seconds);
  bytes_row("host memory", facts.host_bytes);
  bytes_row("device memory", facts.device_bytes);
  if (!facts.renderer.empty()) fact_row("renderer", facts.renderer);
}

}  // namespace

void draw_statistics_panel(const StatisticsFacts& facts) {
  if (!begin_fact_table("##statistics")) return;
  draw_density(facts);
  draw_frames(facts);
  ImGui::EndTable();
}

}  // namespace skde::view::ui
