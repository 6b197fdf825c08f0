#pragma once

#include <glm/glm.hpp>

#include "viewer/scene/view_scene.hpp"
#include "viewer/session/view_state.hpp"

namespace skde::view {

/// What keys ask for, besides changes of the state.
struct KeyCommands {
  bool screenshot = false, toggle_help = false, toggle_panels = false, quit = false;
  bool reload_shaders = false;
};

/// Mouse and keys over the views, as the panels' library collects them: drags and the wheel move
/// the camera of the part under the mouse, a click picks a sample, keys change the state.
class ViewControls {
 public:
  /// Takes in a frame's input. `region`: where the views lie. `scale`: of the display.
  KeyCommands apply(ViewState& state, ViewScene& scene, const PixelRegion& region, float scale);
  /// True while the picture follows the hand or turns by itself, and a moment longer.
  bool moving() const;

 private:
  enum class Part { none, volume, stack, face };

  Part part_at(const ViewParts& parts, glm::dvec2 pixel) const;
  void apply_mouse(ViewState& state, ViewScene& scene, const ViewParts& parts, float scale);
  void drag(Camera& camera, glm::ivec2 viewport, double radius, int button);
  void step_slice(ViewState& state, const ViewScene& scene, double notches);
  void press(char key, ViewState& state, ViewScene& scene, KeyCommands& commands);

  Part dragged_ = Part::none;
  bool turning_ = false;
  double moved_at_ = -1;  // seconds
};

/// The bandwidth times a factor, as a number h where it was a rule: that which the rule took.
void scale_bandwidth(ViewState& state, const ViewScene& scene, double factor);

}  // namespace skde::view
