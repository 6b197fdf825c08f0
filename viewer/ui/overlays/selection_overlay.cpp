#include "viewer/ui/overlays/selection_overlay.hpp"

#include <imgui.h>

#include <utility>

#include "viewer/ui/theme_inks.hpp"

namespace skde::view::ui {

void draw_outline(std::span<const glm::dvec2> pixels, float scale) {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  for (const auto& [width, color] :
       {std::pair{3.5F, packed(theme_inks().halo)}, {1.5F, packed(theme_inks().mark)}})
    for (std::size_t i = 0; pixels.size() > 1 && i < pixels.size(); ++i) {
      const glm::vec2 from(pixels[i]), to(pixels[(i + 1) % pixels.size()]);
      list.AddLine({from.x, from.y}, {to.x, to.y}, color, width * scale);
    }
}

}  // namespace skde::view::ui
