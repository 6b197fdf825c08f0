#include "viewer/window/panel_layer.hpp"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include "viewer/gl/shader_program.hpp"
#include "viewer/ui/imgui_input.hpp"
#include "viewer/ui/theme_drawing.hpp"
#include "viewer/window/window.hpp"

namespace skde::view::ui {
namespace {

constexpr float kLetterSize = 15;  // pixels at scale 1

constexpr ImWchar kPanelLetters[] = {0x0020, 0xffff, 0};  // all that the font has

void add_font(float scale) {
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  for (const gl::EmbeddedFile& file : gl::embedded_files()) {
    if (!file.name.ends_with(".ttf")) continue;
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    // The library only reads the bytes, although its signature does not say so.
    fonts.AddFontFromMemoryTTF(const_cast<unsigned char*>(file.bytes.data()),
                               static_cast<int>(file.bytes.size()), kLetterSize * scale, &config,
                               kPanelLetters);
    return;
  }
  fonts.AddFontDefault();
}

void set_letters(ImGuiStyle& style, const Inks& inks) {
  style.Colors[ImGuiCol_Text] = panel_color(inks.strong);
  style.Colors[ImGuiCol_TextDisabled] = panel_color(inks.quiet);
}

void set_dark_colors(ImGuiStyle& style) {
  ImGui::StyleColorsDark(&style);
  style.Colors[ImGuiCol_WindowBg] = {0.10f, 0.11f, 0.13f, 0.92f};
  style.Colors[ImGuiCol_PopupBg] = {0.12f, 0.13f, 0.16f, 1};
  style.Colors[ImGuiCol_TitleBg] = style.Colors[ImGuiCol_TitleBgActive] = {0.17f, 0.23f, 0.32f, 1};
  set_letters(style, kDarkInks);
  style.Colors[ImGuiCol_FrameBg] = {0.17f, 0.20f, 0.25f, 1};
  style.Colors[ImGuiCol_Button] = {0.22f, 0.29f, 0.39f, 1};
  style.Colors[ImGuiCol_ButtonActive] = {0.17f, 0.42f, 0.72f, 1};
  // The grab must not hide the numbers drawn over it.
  style.Colors[ImGuiCol_SliderGrab] = {0.20f, 0.42f, 0.68f, 1};
  style.Colors[ImGuiCol_Header] = {0.22f, 0.28f, 0.36f, 0.8f};
}

void set_light_colors(ImGuiStyle& style) {
  ImGui::StyleColorsLight(&style);
  style.Colors[ImGuiCol_WindowBg] = {0.95f, 0.955f, 0.965f, 0.95f};
  style.Colors[ImGuiCol_PopupBg] = {1, 1, 1, 1};
  style.Colors[ImGuiCol_TitleBg] = style.Colors[ImGuiCol_TitleBgActive] = {0.78f, 0.84f, 0.92f, 1};
  set_letters(style, kLightInks);
  style.Colors[ImGuiCol_FrameBg] = {0.86f, 0.88f, 0.91f, 1};
  style.Colors[ImGuiCol_Button] = {0.77f, 0.83f, 0.91f, 1};
  style.Colors[ImGuiCol_ButtonActive] = {0.50f, 0.72f, 0.96f, 1};
  style.Colors[ImGuiCol_SliderGrab] = {0.55f, 0.74f, 0.95f, 1};
  style.Colors[ImGuiCol_Header] = {0.74f, 0.81f, 0.90f, 0.8f};
  style.Colors[ImGuiCol_Border] = {0.62f, 0.65f, 0.70f, 0.6f};
}

void set_style(Theme theme, float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  theme == Theme::light ? set_light_colors(style) : set_dark_colors(style);
  style.WindowRounding = 4;
  style.FrameRounding = 3;
  style.GrabRounding = 3;
  style.WindowBorderSize = 0;
  style.ItemSpacing = {8, 5};
  style.Colors[ImGuiCol_ModalWindowDimBg] = {0, 0, 0, 0.45f};
  style.ScaleAllSizes(scale);
}

/// Makes pixels the unit of places, where windows have other ones (Wayland, macOS) as well.
void use_pixels(glm::ivec2 size) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(size.x), static_cast<float>(size.y)};
  io.DisplayFramebufferScale = {1, 1};
}

}  // namespace

PanelLayer::PanelLayer(Window* window, float scale) : window_(window), scale_(scale) {
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;  // skde-view stores the view's state itself
  prepare_input(ImGui::GetIO());
  add_font(scale);
  ImGui::GetIO().Fonts->Build();
  set_style(theme_, scale_);
  if (window_ != nullptr) {
    ImGui_ImplGlfw_InitForOpenGL(window_->handle(), false);
    ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  }
  ImGui_ImplOpenGL3_Init("#version 450 core");
}

PanelLayer::~PanelLayer() {
  ImGui_ImplOpenGL3_Shutdown();
  if (window_ != nullptr) ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

void PanelLayer::set_theme(Theme theme) {
  if (theme != theme_) set_style(theme, scale_);
  theme_ = theme;
}

void PanelLayer::begin(glm::ivec2 size, bool listens) {
  ImGui_ImplOpenGL3_NewFrame();
  if (window_ != nullptr && listens) {
    ImGui_ImplGlfw_NewFrame();
    use_pixels(size);
    window_->input().feed(ImGui::GetIO());  // after Dear ImGui has read mouse and buttons itself
  } else {
    use_pixels(size);
    ImGui::GetIO().DeltaTime = 1.0f / 60;
  }
  ImGui::NewFrame();
}

void PanelLayer::end() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace skde::view::ui
