#include "viewer/window/view_controls.hpp"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <variant>

#include "viewer/layers/method/sample_slices.hpp"
#include "viewer/scene/view_scene.hpp"
#include "viewer/session/view_fields.hpp"
#include "viewer/ui/imgui_input.hpp"

namespace skde::view {
namespace {

constexpr double kSettleSeconds = 0.25;  // from the last movement to full quality
constexpr double kTurnDegreesPerSecond = 30;
constexpr double kStepSeconds = 0.12;  // of the method, from slice to slice
constexpr float kLongestMove = 0.1f;   // in seconds; the previous frame may have been long ago
constexpr double kBandwidthStep = 1.05;
constexpr float kClickPixels = 4;  // longer movements are drags; at scale 1
constexpr std::size_t kMostPins = 99;
constexpr double kMethodRadius = 1;  // of the stack's scene

/// Returns the axis that the flat section at a pixel lies across.
std::optional<std::size_t> section_at(const ViewParts& parts, glm::dvec2 pixel) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (parts.sections_at(pixel)[axis].holds(pixel)) return axis;
  return std::nullopt;
}

/// Adds what the letters with Ctrl ask of files and of the view as a whole.
void add_file_keys(bool shift, ui::FileActions& files) {
  if (ui::key_pressed(GLFW_KEY_O)) files.ask = FilePurpose::open;
  if (ui::key_pressed(GLFW_KEY_S)) files.ask = FilePurpose::save_view;
  files.undo |= ui::key_pressed(GLFW_KEY_Z) && !shift;
  files.redo |= ui::key_pressed(GLFW_KEY_Y) || (ui::key_pressed(GLFW_KEY_Z) && shift);
  files.copy_command |= ui::key_pressed(GLFW_KEY_C);
}

glm::dvec2 mouse_position() { return {ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y}; }

}  // namespace

void scale_bandwidth(ViewState& state, const ViewScene& scene, double factor) {
  if (scene.has_density() && has_own_kernels(scene)) return;
  auto& bandwidth = state.density.bandwidth.bandwidth;
  if (auto* const h = std::get_if<double>(&bandwidth)) {
    *h *= factor;
  } else if (auto* const lengths = std::get_if<Vec3>(&bandwidth)) {
    *lengths = factor * *lengths;
  } else if (auto* const H = std::get_if<Symmetric3>(&bandwidth)) {
    *H = (factor * factor) * *H;
  } else if (scene.h() > 0) {
    bandwidth = scene.h() * factor;
  }
}

bool ViewControls::moving() const {
  return turning_ || playing_ || (moved_at_ >= 0 && ImGui::GetTime() - moved_at_ < kSettleSeconds);
}

ViewControls::Part ViewControls::part_at(const ViewParts& parts, glm::dvec2 pixel,
                                         float scale) const {
  if (parts.border(scale).holds(pixel)) return Part::border;
  if (parts.volume.holds(pixel) || parts.compared.holds(pixel)) return Part::volume;
  if (section_at(parts, pixel)) return Part::section;
  if (!parts.method.holds(pixel)) return Part::none;
  return method_parts(parts.method, scale).face.holds(pixel) ? Part::face : Part::stack;
}

void ViewControls::drag(Camera& camera, glm::ivec2 viewport, double radius, int button) {
  const ImGuiIO& io = ImGui::GetIO();
  const glm::dvec2 by{io.MouseDelta.x, io.MouseDelta.y};
  if (by == glm::dvec2(0)) return;
  if (button == ImGuiMouseButton_Middle || (button == ImGuiMouseButton_Left && io.KeyShift))
    camera.pan(by, viewport, radius);
  else if (button == ImGuiMouseButton_Right)
    camera.dolly(by, viewport);
  else
    camera.rotate(by, viewport);
  moved_at_ = ImGui::GetTime();
}

void ViewControls::step_slice(ViewState& state, const ViewScene& scene, double notches) {
  const SampleSlices* const slices = scene.method.slices();
  if (slices == nullptr || slices->slices.empty()) return;
  const double at = state.slice >= 0 ? static_cast<double>(state.slice) : slices->position.z;
  const auto now = static_cast<std::int64_t>(slices->nearest(at));
  const auto last = static_cast<std::int64_t>(slices->slices.size()) - 1;
  const std::int64_t next = std::clamp<std::int64_t>(now + (notches > 0 ? 1 : -1), 0, last);
  state.slice = slices->slices[static_cast<std::size_t>(next)].z;
}

void ViewControls::choose(ViewState& state, const ViewScene& scene, const PixelRegion& volume,
                          glm::dvec2 pixel, float scale) {
  const bool ellipsoids = scene.view.ellipsoids.shown_as(state.ellipsoids) != EllipsoidsShown::off;
  const ScenePart part = scene.view.part(state.camera, volume, scale);
  const auto picked = ellipsoids ? scene.view.ellipsoids.pick(part, pixel, state.clip)
                                 : scene.view.points.pick(part, pixel, state.clip);
  if (ellipsoids) state.member = picked ? static_cast<std::int64_t>(*picked) : -1;
  if (!picked || (ellipsoids && !scene.view.ellipsoids.are_samples())) return;
  state.sample = static_cast<std::int64_t>(*picked);
  state.slice = -1;
}

void ViewControls::drag_cross_hair(ViewState& state, const ViewScene& scene, const ViewParts& parts,
                                   glm::dvec2 pixel, float scale) {
  if (!scene.has_density()) return;
  const Vec3 at = state.sections.place(scene.density().grid());
  const auto& maps = section_maps(parts.sections_at(pixel), scene.view.frame(), scale);
  state.sections.at = maps[dragged_section_].to_world(pixel, at);
  if (*state.sections.at == at) return;
  moved_at_ = ImGui::GetTime();
}

void ViewControls::step_section(ViewState& state, const ViewScene& scene, std::size_t axis,
                                double notches) {
  if (!scene.has_density()) return;
  const Grid& grid = scene.density().grid();
  const auto normal = static_cast<int>(axis);
  Vec3 at = state.sections.place(grid);
  const std::int64_t cell = section_cell(grid, at, normal) + (notches > 0 ? 1 : -1);
  if (cell < 0 || cell >= grid.dims[axis]) return;
  at[normal] = grid.centre(cell, cell, cell)[normal];
  state.sections.at = at;
}

void ViewControls::click_volume(ViewState& state, ViewScene& scene, const ViewParts& parts,
                                glm::dvec2 pixel, float scale) {
  if (!state.show_probe) return choose(state, scene, parts.volume, pixel, scale);
  const auto place = place_at(scene, state, parts, pixel, scale);
  if (place && state.pins.size() < kMostPins) state.pins.push_back(*place);
}

void ViewControls::move_border(ViewState& state, const ViewParts& parts, const PixelRegion& region,
                               Part under) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool held = dragged_ == Part::border && ImGui::IsMouseDown(ImGuiMouseButton_Left);
  if (held || (under == Part::border && !io.WantCaptureMouse))
    ImGui::SetMouseCursor(parts.split == 0 ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  if (!held || (io.MouseDelta.x == 0 && io.MouseDelta.y == 0)) return;
  state.division.set_method(method_share_at(parts, region, mouse_position()));
  moved_at_ = ImGui::GetTime();
}

void ViewControls::draw_selection(ViewState& state, const ViewScene& scene,
                                  const PixelRegion& volume, glm::dvec2 pixel, float scale) {
  constexpr std::size_t kMostCorners = 4096;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    if (outline_.empty()) outline_.push_back(pixel);
    const glm::dvec2 from = outline_.front();
    if (!by_lasso_)
      outline_ = {from, {pixel.x, from.y}, pixel, {from.x, pixel.y}};
    else if (outline_.back() != pixel && outline_.size() < kMostCorners)
      outline_.push_back(pixel);
    return;
  }
  const auto reach = [this](double glm::dvec2::*axis) {
    const auto [low, high] = std::ranges::minmax(outline_, {}, axis);
    return high.*axis - low.*axis;
  };
  const double least = kClickPixels * scale;
  state.selection.reset();  // a click with Ctrl selects nothing
  if (scene.cloud() && outline_.size() > 2 && reach(&glm::dvec2::x) >= least &&
      reach(&glm::dvec2::y) >= least) {
    state.selection = outlined(scene.view.part(state.camera, volume, scale), outline_);
    state.show_points = true;
  }
  outline_.clear();
  selecting_ = false;
}

void ViewControls::apply_mouse(ViewState& state, ViewScene& scene, const PixelRegion& region,
                               float scale) {
  const ImGuiIO& io = ImGui::GetIO();
  const glm::dvec2 pixel = mouse_position();
  const ViewParts parts = view_parts(state, region, scale);
  const Part under = part_at(parts, pixel, scale);
  const glm::ivec2 stack = method_parts(parts.method, scale).steps[0].size;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !io.WantCaptureMouse && io.KeyCtrl &&
      under == Part::volume) {
    selecting_ = true;
    by_lasso_ = io.KeyShift;
  }
  if (selecting_) return draw_selection(state, scene, parts.volume, pixel, scale);
  for (int button = 0; button < 3; ++button) {
    if (ImGui::IsMouseClicked(button) && !io.WantCaptureMouse) {
      dragged_ = under;
      dragged_section_ = section_at(parts, pixel).value_or(0);
    }
    if (ImGui::IsMouseDown(button) && dragged_ == Part::section)
      drag_cross_hair(state, scene, parts, pixel, scale);
    const bool held = ImGui::IsMouseDragging(button, kClickPixels * scale);
    if (held && dragged_ == Part::volume)
      drag(state.camera, parts.volume.size,
           scene.view.fitted_radius(parts.volume.size, label_room(parts.volume.size, scale)),
           button);
    if (held && dragged_ == Part::stack) drag(state.method.camera, stack, kMethodRadius, button);
    if (!ImGui::IsMouseReleased(button)) continue;
    const glm::dvec2 from{io.MouseClickedPos[button].x, io.MouseClickedPos[button].y};
    const bool click = glm::distance(from, pixel) < kClickPixels * scale;
    const bool pins = dragged_ == Part::section && state.show_probe;
    if (button == ImGuiMouseButton_Left && click && (dragged_ == Part::volume || pins))
      click_volume(state, scene, parts, pixel, scale);
    dragged_ = Part::none;
  }
  move_border(state, parts, region, under);
  if (io.MouseWheel == 0 || io.WantCaptureMouse) return;
  moved_at_ = ImGui::GetTime();
  if (under == Part::volume) state.camera.scroll(io.MouseWheel);
  if (under == Part::stack) state.method.camera.scroll(io.MouseWheel);
  if (under == Part::face) step_slice(state, scene, io.MouseWheel);
  if (const auto axis = section_at(parts, pixel)) step_section(state, scene, *axis, io.MouseWheel);
}

void ViewControls::press(char key, ViewState& state, ViewScene& scene, ui::PanelActions& actions) {
  for (const ViewField& field : view_fields())
    if (field.letters.find(key) != field.letters.npos && (field.key != "layout" || scene.cloud()))
      field.press(state, key);
  switch (key) {
    case 'r':
      state.camera = first_camera(scene, state);
      state.method.camera = Camera();
      break;
    case '1':
      return state.camera.look(AxisView::front);
    case '3':
      return state.camera.look(AxisView::right);
    case '7':
      return state.camera.look(AxisView::top);
    case '[':
    case ']':
      return scale_bandwidth(state, scene, key == ']' ? kBandwidthStep : 1 / kBandwidthStep);
    case ' ':
      if (!ImGui::GetIO().NavVisible) turning_ = !turning_;  // else it presses the chosen button
      break;
    case 'c':
      if (!state.compare.with.empty())
        state.compare.with.clear();
      else if (scene.cloud() && scene.h() > 0)
        compare_bandwidths(state, scene.h() / 2);
      break;
    case '+':
    case '-':
      return state.camera.scroll(key == '+' ? 1 : -1);
    default:
      actions.toggle_help |= key == 'h';
      actions.quit |= key == 'q';
      actions.share |= key == 'u';
      actions.slices_at_peak |= key == 'k' && scene.has_density();
  }
}

void ViewControls::apply_keys(ViewState& state, ViewScene& scene, ui::PanelActions& actions) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl) {
    add_file_keys(io.KeyShift, actions.files);
    actions.quit = ui::key_pressed(GLFW_KEY_Q);
    actions.search = ui::key_pressed(GLFW_KEY_F);
  } else if (!io.KeyAlt && !io.KeySuper) {
    for (int letter = 0; letter < 26; ++letter)
      if (ui::key_pressed(GLFW_KEY_A + letter))
        press(static_cast<char>('a' + letter), state, scene, actions);
    for (const ImWchar key : io.InputQueueCharacters)
      if (key < 128 && std::isalpha(key) == 0) press(static_cast<char>(key), state, scene, actions);
  }
  actions.screenshot |= ui::key_pressed(GLFW_KEY_F12) && !io.KeyShift;
  actions.on_white |= ui::key_pressed(GLFW_KEY_F12) && io.KeyShift;
  actions.files.reload |= ui::key_pressed(GLFW_KEY_F5) && !io.KeyShift;
  actions.reload_shaders = ui::key_pressed(GLFW_KEY_F5) && io.KeyShift;
  actions.focus_panels = ui::key_pressed(GLFW_KEY_F6);
  actions.toggle_help |= ui::key_pressed(GLFW_KEY_F1);
  actions.toggle_panels = ui::key_pressed(GLFW_KEY_TAB) && !io.KeyCtrl;
}

void ViewControls::apply(ViewState& state, ViewScene& scene, const PixelRegion& region, float scale,
                         ui::PanelActions& actions) {
  const ImGuiIO& io = ImGui::GetIO();
  apply_mouse(state, scene, region, scale);
  const bool dialog = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (!io.WantTextInput && !dialog) apply_keys(state, scene, actions);
  playing_ = state.method.plays && shows_method(state.layout) && scene.method.slices() != nullptr;
  if (playing_ && ImGui::GetTime() - stepped_at_ >= kStepSeconds) {
    stepped_at_ = ImGui::GetTime();
    step_method(state, scene);
  }
  turning_ &= state.layout != ViewLayout::method && scene.grid() != nullptr;
  if (turning_)
    state.camera.azimuth = std::remainder(
        state.camera.azimuth + kTurnDegreesPerSecond * std::min(io.DeltaTime, kLongestMove), 360.0);
}

}  // namespace skde::view
