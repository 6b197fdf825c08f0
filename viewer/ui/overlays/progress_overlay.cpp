#include "viewer/ui/overlays/progress_overlay.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "cli/number_format.hpp"
#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {
namespace {

constexpr double kPatience = 0.2;                            // seconds before the bar appears
constexpr float kWidth = 360, kMargin = 16, kBarHeight = 6;  // pixels at scale 1

/// Draws the finished share, or a moving piece if the share is unknown.
void draw_bar(const std::optional<double>& share, float scale) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size{ImGui::GetContentRegionAvail().x, kBarHeight * scale};
  ImGui::Dummy(size);
  float from = 0, to = static_cast<float>(std::clamp(share.value_or(0), 0.0, 1.0));
  if (!share) {
    constexpr double kPeriod = 1.6, kPiece = 0.3;
    const double start = std::fmod(ImGui::GetTime() / kPeriod, 1.0) * (1 + kPiece) - kPiece;
    from = static_cast<float>(std::max(start, 0.0));
    to = static_cast<float>(std::min(start + kPiece, 1.0));
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float round = size.y / 2;
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, ImGui::GetColorU32(ImGuiCol_FrameBg),
                     round);
  if (to > from)
    list.AddRectFilled({at.x + from * size.x, at.y}, {at.x + to * size.x, at.y + size.y},
                       ImGui::GetColorU32(ImGuiCol_SliderGrabActive), round);
}

std::string stage_text(const ProgressFact& progress) {
  const std::string stage = progress.stage.empty() ? "waiting" : progress.stage;
  const std::string since = cli::format_duration(progress.seconds);
  if (!progress.share) return fmt::format("{}, {}", stage, since);
  return fmt::format("{}, {:.0f} %, {}", stage, 100 * *progress.share, since);
}

}  // namespace

void draw_progress_overlay(const PanelFacts& facts, const PanelLayout& layout,
                           PanelActions& actions) {
  if (!facts.progress || facts.progress->seconds < kPatience) return;
  const float scale = layout.scale, margin = kMargin * scale;
  const glm::vec2 corner(layout.views.corner), size(layout.views.size);
  const float width = std::min(kWidth * scale, size.x - 2 * margin);
  ImGui::SetNextWindowPos({corner.x + size.x / 2, corner.y + size.y - margin}, ImGuiCond_Always,
                          {0.5f, 1});
  ImGui::SetNextWindowSize({width, 0});
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
  if (ImGui::Begin("##progress", nullptr, kFlags)) {
    const float button = 4.5f * ImGui::GetFontSize();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(stage_text(*facts.progress).c_str());
    ImGui::SameLine(ImGui::GetContentRegionMax().x - button);
    if (ImGui::Button("cancel", {button, 0})) actions.cancel = true;
    draw_bar(facts.progress->share, scale);
    if (!facts.progress->meanwhile.empty()) quiet_text(facts.progress->meanwhile);
  }
  ImGui::End();
}

}  // namespace skde::view::ui
