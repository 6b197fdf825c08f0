#include "viewer/panel_stage.hpp"

#include <backends/imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <cmath>

#include "viewer/session/view_fields.hpp"
#include "viewer/ui/imgui_input.hpp"

namespace skde::test {
namespace {

using namespace skde::view;

Histogram bell_histogram(double peak) {
  Histogram histogram;
  histogram.axis = {1e-6 * peak, peak, true};
  for (int bin = 0; bin < Histogram::kBins; ++bin) {
    const double share = (bin + 0.5) / Histogram::kBins;
    // For a bell-shaped density, the cells above a value are those within a radius.
    const double radius = std::sqrt(std::max(std::log(1 / std::pow(1e6, share - 1)), 0.0));
    histogram.counts[static_cast<std::size_t>(bin)] =
        static_cast<std::uint64_t>(9e3 * std::pow(radius, 3) * (1.02 + std::sin(17 * share)));
  }
  return histogram;
}

MethodReadout typical_readout() {
  return {{{"sample at (cells)", "131.42, 98.07, 64.50"},
           {"kernel half extents (cells)", "8.31, 8.02, 6.94"},
           {"chop: slices", "z 58..71"},
           {"slices kept", "14 of 171, 12.2 times fewer"}},
          {{"slice", "z = 64"},
           {"crop: grid ranges", "x 123..139, y 90..106"},
           {"cells evaluated", "289 of 65,536, 227 times fewer"},
           {"cells inside", "212, 73.4 % of them"}},
          {{"whole grid", "11,206,656"},
           {"after chop: full slices", "917,504 of 11,206,656, 12.2 times fewer"},
           {"the kernel's box", "4,046"},
           {"after crop: evaluated", "2,871 of 917,504, 320 times fewer"},
           {"inside", "1,938, 67.5 % of them"},
           {"chop and crop", "2,871 of 11,206,656, 3903 times fewer"}}};
}

std::vector<ui::EngineFact> typical_engines() {
  return {{"naive", "every cell sums over all samples", ""},
          {"openmp", "chop and crop, samples over threads", ""},
          {"span", "rows as differences, then a scan", ""},
          {"cuda-naive", "sample-wise without chop and crop", "no CUDA device was found"},
          {"cuda-span", "rows as differences in tiles", "no CUDA device was found"}};
}

void merge(ui::PanelActions& all, const ui::PanelActions& some) {
  if (some.save_transfer) all.save_transfer = some.save_transfer;
  if (some.load_transfer) all.load_transfer = some.load_transfer;
  if (some.start_fit) all.start_fit = some.start_fit;
  all.stop_fit |= some.stop_fit;
  all.holds_frame |= some.holds_frame;
  if (some.save_fit) all.save_fit = some.save_fit;
  all.screenshot |= some.screenshot;
  all.on_white |= some.on_white;
  all.reset_camera |= some.reset_camera;
  if (some.axis_view) all.axis_view = some.axis_view;
  all.dismiss_error |= some.dismiss_error;
  if (!some.complaint.empty()) all.complaint = some.complaint;
  all.cancel |= some.cancel;
}

/// Returns the ID of a Dear ImGui widget at a path of names below a window.
ImGuiID widget_id(ImGuiID seed, const std::vector<std::string>& path) {
  for (const std::string& name : path) seed = ImHashStr(name.c_str(), 0, seed);
  return seed;
}

/// Returns the window whose name begins like this; names of child windows end in a number.
ImGuiWindow* window_named(const std::string& begin) {
  for (ImGuiWindow* window : GImGui->Windows)
    if (std::string(window->Name).starts_with(begin)) return window;
  return nullptr;
}

}  // namespace

ui::PanelFacts typical_facts(double peak) {
  ui::PanelFacts facts;
  facts.files = {"/home/anna/clouds/five_gaussians.ply"};
  facts.samples = 1'000'000;
  facts.suggested.silverman = 0.3459;
  facts.suggested.scott = 0.1389;
  facts.h = 0.3459;
  facts.lengths = Vec3{0.065, 0.0626, 0.0542};
  facts.grid = Grid{{-5, -5, -3.34}, {0.0390625, 0.0390625, 0.0390625}, {256, 256, 171}};
  facts.peak = peak;
  facts.file_facts.has_density = true;
  facts.histogram = bell_histogram(peak);
  facts.engines = typical_engines();
  facts.readout = typical_readout();
  facts.slices = {58, 72};
  facts.slice = 64;
  facts.statistics = {{"engine", "span"},
                      {"launch", "2 threads, slabs of 8 slices, 1,024 samples a block"},
                      {"frame", "16.6 ms, 60.1 a second"}};
  return facts;
}

int drawn_pixels(const Picture& picture, glm::ivec2 from, glm::ivec2 to) {
  int count = 0;
  for (int y = from.y; y < to.y; ++y)
    for (int x = from.x; x < to.x; ++x) count += picture.at(x, y) != picture.at(from.x, from.y);
  return count;
}

PanelStage::PanelStage(glm::ivec2 size, float scale) : layer_(nullptr, scale), target_(size) {
  layout.scale = scale;
  state.density.bandwidth.bandwidth = BandwidthRule::silverman;
  state.density.grid.dims = {256, 0, 0};
  state.sample = 4711;
  state.transfer.axis = axis_up_to(facts.peak, false);
  ImGui::GetIO().MousePos = {-1, -1};
  frames(3);  // until windows know their sizes
  forget();
}

void PanelStage::draw() {
  const ViewState before = state;
  merge(actions, ui::draw_panels(state, facts, layout));
  actions.state_changed |= state != before;
  actions.density_changed |= !same_density(state, before);
}

void PanelStage::frames(int count) {
  for (int i = 0; i < count; ++i) {
    layer_.begin(target_.size());
    draw();
    if (over_views) over_views();
    ImGui::Render();
  }
}

Picture PanelStage::picture() {
  target_.bind();
  clear(target_, {0.07F, 0.075F, 0.09F, 1});
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  return view::gl::read_picture(target_);
}

void PanelStage::move(ImVec2 to) {
  ImGui::GetIO().MousePos = to;
  frames(2);  // hovering is known one frame later
}

void PanelStage::press(ImGuiMouseButton button) {
  ImGui::GetIO().MouseDown[button] = true;
  frames(2);
}

void PanelStage::release(ImGuiMouseButton button) {
  ImGui::GetIO().MouseDown[button] = false;
  frames(2);
}

void PanelStage::click(ImVec2 at, ImGuiMouseButton button) {
  move(at);
  press(button);
  release(button);
}

void PanelStage::double_click(ImVec2 at) {
  click(at);
  click(at);
}

void PanelStage::drag(ImVec2 from, ImVec2 to) {
  move(from);
  press();
  constexpr int kSteps = 4;
  for (int step = 1; step <= kSteps; ++step) {
    const float share = static_cast<float>(step) / kSteps;
    move({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
  }
  release();
}

void PanelStage::begin_typing(ImVec2 slider) {
  ImGuiIO& io = ImGui::GetIO();
  view::ui::set_modifiers(io, {.ctrl = true});
  click(slider);
  view::ui::set_modifiers(io, {});
  frames(2);
}

void PanelStage::type(const char* letters) {
  ImGui::GetIO().AddInputCharactersUTF8(letters);
  frames(3);
}

void PanelStage::press_key(int code) {
  for (const bool pressed : {true, false}) {
    view::ui::set_key(ImGui::GetIO(), code, pressed);
    frames(2);
  }
}

void PanelStage::type_number(ImVec2 slider, const char* number) {
  begin_typing(slider);
  type(number);
  const auto size = layout.views.corner + layout.views.size;
  click({static_cast<float>(size.x) - 1, static_cast<float>(size.y) - 1});
}

bool PanelStage::is_at(unsigned id, ImVec2 pixel) {
  ImGui::GetIO().MousePos = pixel;
  layer_.begin(target_.size());
  draw();
  ImGui::EndFrame();
  return GImGui->HoveredId == id;
}

PanelStage::Place PanelStage::extent(unsigned id, ImVec2 inside) {
  ImVec2 lower = inside, upper = inside;
  while (is_at(id, {lower.x - 1, inside.y})) --lower.x;
  while (is_at(id, {upper.x + 1, inside.y})) ++upper.x;
  while (is_at(id, {inside.x, lower.y - 1})) --lower.y;
  while (is_at(id, {inside.x, upper.y + 1})) ++upper.y;
  return {{(lower.x + upper.x) / 2, (lower.y + upper.y) / 2},
          {upper.x - lower.x + 1, upper.y - lower.y + 1}};
}

PanelStage::Place PanelStage::sweep(unsigned id, ImVec2 from, ImVec2 to) {
  const ImVec2 rest = ImGui::GetIO().MousePos;
  const float step = 14 * layout.scale;  // smaller than any widget
  const auto steps = [&](float length) {
    return static_cast<int>(std::ceil(length / step - 0.5F));
  };
  for (int j = 0; j < steps(to.y - from.y); ++j)
    for (int i = 0; i < steps(to.x - from.x); ++i) {
      const ImVec2 at{from.x + (static_cast<float>(i) + 0.5F) * step,
                      from.y + (static_cast<float>(j) + 0.5F) * step};
      if (!is_at(id, at)) continue;
      const Place place = extent(id, at);
      move(rest);
      return place;
    }
  FAIL("no widget " << id << " within " << from.x << ", " << from.y << " to " << to.x << ", "
                    << to.y);
  return {};
}

PanelStage::Place PanelStage::find(const std::string& control,
                                   const std::vector<std::string>& path) {
  const auto row = std::ranges::find_if(view_fields(), [&](const ViewField& field) {
    return field.is_control() && field.title() == control;
  });
  INFO("control " << control);
  REQUIRE(row != view_fields().end());
  layout.tabs.chosen = row->tab;
  if (!row->ahead) layout.tabs.more.insert(row->tab);
  frames(3);
  std::vector<std::string> whole{"controls", control};
  whole.insert(whole.end(), path.begin(), path.end());
  return find_in("Panels/##content", whole);
}

PanelStage::Place PanelStage::find_in(const std::string& window,
                                      const std::vector<std::string>& path) {
  ImGuiWindow* found = window_named(window);
  INFO("window " << window);
  REQUIRE(found != nullptr);
  const ImVec2 corner = found->Pos, size = found->Size;
  return sweep(widget_id(found->ID, path), corner, {corner.x + size.x, corner.y + size.y});
}

void PanelStage::open_menu(const Place& combo) {
  click(combo.middle);
  frames(2);
}

void PanelStage::choose_line(const Place& combo, int line) {
  open_menu(combo);
  ImGuiWindow* menu = window_named("##Combo_");
  REQUIRE(menu != nullptr);
  const ImGuiStyle& style = ImGui::GetStyle();
  const float height = ImGui::GetIO().Fonts->Fonts[0]->FontSize + style.ItemSpacing.y;
  click({menu->Pos.x + menu->Size.x / 2,
         menu->Pos.y + menu->WindowPadding.y + (static_cast<float>(line) + 0.4f) * height});
}

}  // namespace skde::test
