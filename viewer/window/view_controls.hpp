#pragma once

#include <glm/glm.hpp>
#include <vector>

#include "viewer/layers/space/camera.hpp"
#include "viewer/ui/panels/panels.hpp"

namespace skde::view {

class ViewScene;
struct ViewParts;

/// Mouse and keys over the views, as collected by Dear ImGui. Drags and the wheel move the camera
/// of the part under the mouse, a click picks a sample, and keys change the state.
class ViewControls {
 public:
  /// Processes a frame's input, and adds what keys request besides changes of the state. `region`
  /// is where the views lie; `scale` is that of the display.
  void apply(ViewState& state, ViewScene& scene, const PixelRegion& region, float scale,
             ui::PanelActions& actions);
  /// Returns the outline that is being drawn to select samples, in pixels of the frame.
  const std::vector<glm::dvec2>& outline() const { return outline_; }
  /// Returns true while the picture follows the mouse or turns, and for a moment afterwards.
  bool moving() const;

 private:
  enum class Part { none, volume, stack, face, section, border };

  Part part_at(const ViewParts& parts, glm::dvec2 pixel, float scale) const;
  void apply_mouse(ViewState& state, ViewScene& scene, const PixelRegion& region, float scale);
  /// Moves the border between the views to the mouse while it is held.
  void move_border(ViewState& state, const ViewParts& parts, const PixelRegion& region, Part under);
  /// Chooses the sample or the ellipsoid at a pixel of the volume.
  static void choose(ViewState& state, const ViewScene& scene, const PixelRegion& volume,
                     glm::dvec2 pixel, float scale);
  /// Pins the place at a pixel if the probe is on; else chooses what is there.
  static void click_volume(ViewState& state, ViewScene& scene, const ViewParts& parts,
                           glm::dvec2 pixel, float scale);
  /// Moves the cross-hair of the section where the drag began to a pixel.
  void drag_cross_hair(ViewState& state, const ViewScene& scene, const ViewParts& parts,
                       glm::dvec2 pixel, float scale);
  /// Moves the section under the mouse by a cell.
  static void step_section(ViewState& state, const ViewScene& scene, std::size_t axis,
                           double notches);
  void drag(Camera& camera, glm::ivec2 viewport, double radius, int button);
  void step_slice(ViewState& state, const ViewScene& scene, double notches);
  /// Processes the keys of a frame: letters by their name on the user's keyboard.
  void apply_keys(ViewState& state, ViewScene& scene, ui::PanelActions& actions);
  void press(char key, ViewState& state, ViewScene& scene, ui::PanelActions& actions);

  /// Follows the mouse while Ctrl and a drag draw a box, or a lasso with Shift; selects at its end.
  void draw_selection(ViewState& state, const ViewScene& scene, const PixelRegion& volume,
                      glm::dvec2 pixel, float scale);

  Part dragged_ = Part::none;
  std::vector<glm::dvec2> outline_;
  bool selecting_ = false, by_lasso_ = false;
  std::size_t dragged_section_ = 0;  // the axis that it lies across
  bool turning_ = false;
  bool playing_ = false;    // whether the method goes on by itself
  double stepped_at_ = -1;  // seconds
  double moved_at_ = -1;    // seconds
};

/// Multiplies the bandwidth by a factor; a rule is replaced by its h times the factor.
void scale_bandwidth(ViewState& state, const ViewScene& scene, double factor);

}  // namespace skde::view
