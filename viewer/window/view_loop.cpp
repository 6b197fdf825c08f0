#include <GLFW/glfw3.h>
#include <fmt/core.h>
#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/cancellation.hpp"
#include "pictures/png_file.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/session/density_controls.hpp"
#include "viewer/session/files/export_files.hpp"
#include "viewer/session/view_link.hpp"
#include "viewer/session/view_state_file.hpp"
#include "viewer/ui/panels/panels.hpp"
#include "viewer/window/clipboard.hpp"
#include "viewer/window/file_commands.hpp"
#include "viewer/window/view_frame.hpp"
#include "viewer/window/window.hpp"

namespace skde::view {
namespace {

#ifdef NDEBUG
constexpr bool kDebugContext = false;
#else
constexpr bool kDebugContext = true;
#endif

/// Returns the first free name: "skde-view_0003.png".
std::string free_picture_name(PictureFormat format) {
  for (int number = 1;; ++number) {
    std::string name = fmt::format("skde-view_{:04}.{}", number, word_of(kPictureFormats, format));
    if (!std::filesystem::exists(name)) return name;
  }
}

/// Returns a title that names what is shown.
std::string title_of(const ViewSession& session) {
  if (session.pictured() == nullptr) return "skde-view";
  const std::string& path = session.pictured()->cloud.paths.front();
  if (path == "-") return "standard input - skde-view";
  return std::filesystem::path(path).filename().string() + " - skde-view";
}

/// Saves the recent view, unless nothing was shown or the view cannot be reopened.
void keep_view(const ViewSession& session) {
  if (!session.shown() || reads_input(session.state)) return;
  if (const std::string why = save_recent_state(session.kept_state()); !why.empty())
    fmt::print(stderr, "skde-view: {}\n", why);
}

/// Writes the views alone, in the size and format of the view, tells where, and begins to copy the
/// picture. Without a path it takes the first free name.
void write_picture(ViewSession& session, ViewFrame& frame, const std::string& path,
                   ClipboardCopy& copy) {
  ui::PanelLayout& layout = frame.layout();
  const PixelRegion views = layout.views;
  const Appearance& seen = session.state.appearance;
  glm::ivec2 size = views.size;
  for (int side = 0; side < 2; ++side)
    if (const int chosen = seen.size[static_cast<std::size_t>(side)]; chosen > 0)
      size[side] = chosen;
  const std::string name = path.empty() ? free_picture_name(seen.format) : path;
  if (is_document_name(name))
    write_document(frame, session, size, name);
  else
    write_png(frame.draw_picture(session, size, false), name);
  layout.views = views;
  ui::show_notice(layout, "written: " + std::filesystem::absolute(name).string());
  copy.start(name);
}

/// Carries out what panels and keys request besides changes of the state. Errors go to the dialog.
void carry_out(const ui::PanelActions& actions, ViewSession& session, ViewFrame& frame,
               FileCommands& files, ClipboardCopy& copy) {
  const Ground ground = session.state.appearance.ground;
  try {
    files.carry_out(actions.files, session, frame.layout());
    if (actions.save_transfer)
      save_transfer_function(*actions.save_transfer, session.state.transfer);
    if (actions.load_transfer)
      session.state.transfer = load_transfer_function(*actions.load_transfer);
    if (actions.start_fit) start_fit(session, *actions.start_fit);
    if (actions.stop_fit) session.fit.stop();
    if (actions.save_fit && session.fit.last()) save_fitted(*actions.save_fit, *session.fit.last());
    if (actions.reset_camera) session.state.camera = first_camera(session.scene, session.state);
    if (actions.axis_view) session.state.camera.look(*actions.axis_view);
    if (actions.slices_at_peak) show_peak(session);
    if (actions.cancel) session.requests.worker().cancel();
    session.add_error(actions.complaint);
    if (actions.dismiss_error) session.failures.dismiss();
    if (actions.reload_shaders) {
      gl::ShaderProgram::reload_all();
      frame.invalidate();
    }
    if (actions.share) {
      const std::string address =
          page_address(session.scene, session.state, frame.parts(session).volume, frame.scale());
      ImGui::SetClipboardText(address.c_str());
      ui::show_notice(frame.layout(),
                      "copied: " + address.substr(0, address.find('#')) + "#\u2026");
    }
    const std::string path = files.take_picture_path();
    if (actions.on_white) session.state.appearance.ground = Ground::light;
    if (actions.screenshot || actions.on_white || !path.empty())
      write_picture(session, frame, path, copy);
  } catch (const Error& error) {
    session.add_error(text_with_controls(error));
  }
  if (actions.on_white) session.state.appearance.ground = ground;
  if (actions.toggle_help) frame.layout().help = !frame.layout().help;
  frame.layout().takes_focus |= actions.focus_panels;
  frame.layout().searches |= actions.search;
  if ((actions.focus_panels || actions.search) &&
      !ui::is_side_window_shown(session.state.division, frame.layout()))
    ui::toggle_side_window(session.state.division, frame.layout());
  if (actions.toggle_panels) ui::toggle_side_window(session.state.division, frame.layout());
}

/// Binds the window's framebuffer, or Mesa would not notice the window's new size.
void show(const gl::Framebuffer& picture) {
  const glm::ivec2 size = picture.size();
  glBindFramebuffer(GL_READ_FRAMEBUFFER, picture.id());
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(0, 0, size.x, size.y, 0, 0, size.x, size.y, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

/// Determines how long the loop waits for an event; results of other threads end the wait too.
class Pace {
 public:
  double longest_wait(bool moving, bool busy) const {
    if (moving) return 0;
    if (busy) return 0.05;  // to animate the progress bar
    return quiet_ < kFramesToSettle ? 1.0 / 60 : 0.5;
  }
  void count(bool event_came) { quiet_ = event_came ? 0 : quiet_ + 1; }
  /// Returns true if the next frame would be the same as the last one.
  bool rests() const { return quiet_ > kFramesToSettle; }

 private:
  static constexpr int kFramesToSettle = 30;  // until fades end and panels find their sizes
  int quiet_ = 0;                             // frames without an event
};

/// Follows the other linked windows, if this is one. Returns whether the state has changed.
bool follow_link(std::optional<ViewLink>& link, ViewSession& session) try {
  if (!session.state.linked) return link.reset(), false;
  if (!link) link.emplace(session.state, [] { glfwPostEmptyEvent(); });
  return link->exchange(session.scene, session.state);
} catch (const Error& error) {
  session.state.linked = false;
  session.add_error(error.what());
  return true;
}

}  // namespace

void run_window(const ViewOptions& options) {
  Window window("skde-view", {options.size[0], options.size[1]}, kDebugContext || options.debug_gl);
  const gl::DebugOutput debug;
  ViewSession session(options, [] { glfwPostEmptyEvent(); });
  session.add_error(options.complaint);
  ViewFrame frame(&window,
                  options.scale > 0 ? static_cast<float>(options.scale) : window.content_scale());
  ViewControls controls;
  FileCommands files(options);
  ClipboardCopy copy;
  frame.layout().desk.hint = files.is_first_use();
  frame.layout().tabs = load_shown_tabs();
  window.on_drop = [&](std::vector<std::string> paths) { session.open_files(std::move(paths)); };
  std::optional<ViewLink> link;
  follow_link(link, session);
  session.add_error(open_windows(options.windows));
  Pace pace;
  while (!window.should_close() && !cli::cancel_requested()) {
    const bool busy =
        session.requests.status().busy || session.fit.status().busy || files.busy() || copy.busy();
    const bool moving = controls.moving() || frame.layout().playing;
    pace.count(window.wait_events(pace.longest_wait(moving, busy)));
    const glm::ivec2 size = window.framebuffer_size();
    if (size.x < 1 || size.y < 1) continue;  // minimised
    bool fresh = files.update(session, frame.layout());
    if (fresh) {
      frame.invalidate();
      window.set_title(title_of(session));
    }
    fresh |= follow_link(link, session);
    // Only a notice that ends and a cursor that blinks change without an event.
    if (pace.rests() && !fresh && !moving && !busy && !session.questions.busy() &&
        !ImGui::GetIO().WantTextInput && ImGui::GetTime() > frame.layout().notice_until)
      continue;
    const ui::PanelActions actions = frame.draw(session, size, &controls, true);
    show(frame.picture());
    window.swap();
    // After the swap, as it may draw a picture for a file.
    carry_out(actions, session, frame, files, copy);
    if (const auto copied = copy.take_result(); copied && !copied->empty())
      ui::show_notice(frame.layout(), frame.layout().notice + "\n" + *copied);
    files.note(session, controls.moving());
    if (actions.quit) window.close();
  }
  for (const std::string& error : debug.errors()) fmt::print(stderr, "skde-view: {}\n", error);
  keep_view(session);
  save_shown_tabs(frame.layout().tabs);
}

}  // namespace skde::view
