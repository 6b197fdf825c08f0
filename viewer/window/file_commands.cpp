#include "viewer/window/file_commands.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "cli/command_program.hpp"
#include "cli/outputs.hpp"
#include "core/version.hpp"
#include "viewer/session/density_controls.hpp"
#include "viewer/session/files/export_files.hpp"
#include "viewer/session/view_fields.hpp"
#include "viewer/ui/panels/panels.hpp"

namespace skde::view {
namespace {

/// Returns the command that computes the density which is shown.
std::string command_of(const ViewSession& session) {
  ViewState state = session.shown() ? *session.shown() : session.state;
  // The box is larger than the samples need, for those of the other density.
  if (session.scene.has_density() && session.requests.box() && !state.density.gives_box())
    state.density.grid.bounds = session.scene.density().grid().bounds();
  std::optional<Symmetric3> H;
  if (session.scene.has_density()) H = session.scene.density().metadata.H;
  return cli::command_line("skde", density_arguments(state, H));
}

/// Returns a copy of the density that is shown, for another thread.
ShownDensity shown_density(ViewSession& session) {
  ShownDensity shown{session.scene.view.volume.texture().read_back(),
                     session.scene.density().metadata};
  if (session.scene.cloud()) {
    shown.metadata.units = session.scene.axis_texts(session.state).units;
    shown.metadata.command_line = command_of(session);
    shown.metadata.version = kVersion;
  }
  return shown;
}

/// Returns the levels of the surfaces that the isosurface mode shows.
std::vector<double> levels_of(const ViewSession& session) {
  std::vector<double> levels;
  for (const MassRegion& region : surfaces(session.state, session.scene.view.volume))
    levels.push_back(region.level);
  if (session.state.masses.empty())
    levels.push_back(session.state.transfer.axis.value_at(session.state.isovalue));
  return levels;
}

}  // namespace

FileCommands::FileCommands(const ViewOptions& options) : last_look_(options.recent) {}

bool FileCommands::update(ViewSession& session, ui::PanelLayout& layout) {
  const ViewState before = session.state;
  if (!session.follows_stream() && session.shown() && watch_.changed(clock_.seconds())) {
    reload(session);
    ui::show_notice(layout, "The file has changed and is read again");
  }
  session.update_request();
  const bool fresh = session.poll();
  history_.adapt(before, session.state);
  if (fresh && session.shown()) {
    watch_.watch(session.shown()->cloud.paths);
    recent_.add(session.shown()->cloud.paths);
  }
  take_written(session, layout);
  ui::FileDesk& desk = layout.desk;
  desk.recent = recent_.lists();
  desk.can_undo = history_.can_undo();
  desk.can_redo = history_.can_redo();
  desk.has_last_look = last_look_.has_value();
  return fresh;
}

void FileCommands::note(const ViewSession& session, bool moving) {
  const bool held = ImGui::IsAnyItemActive() || ImGui::IsAnyMouseDown();
  history_.note(session.state, !moving && !held);
}

void FileCommands::step(const ViewState& to, ViewSession& session) {
  ViewState view = to;
  view.reading = session.state.reading;
  session.open_view(view);
  history_.adapt(to, session.state);
}

void FileCommands::open(const ui::ChosenFiles& chosen, ViewSession& session,
                        ui::PanelLayout& layout) {
  if (chosen.purpose == FilePurpose::open) return session.open_files(chosen.paths);
  const std::string& path = chosen.paths.front();
  if (file_use(chosen.purpose).saves()) cli::require_writable(path, "the dialog");
  if (chosen.purpose == FilePurpose::open_view) return session.open_view(load_view_state(path));
  if (chosen.purpose == FilePurpose::picture) {
    picture_path_ = path;
    return;
  }
  if (chosen.purpose != FilePurpose::save_view) return write(chosen, session);
  save_view_state(path, session.kept_state());
  ui::show_notice(layout, "written: " + path);
}

void FileCommands::write(const ui::ChosenFiles& chosen, ViewSession& session) {
  if (writing_.valid())
    throw Error(ErrorKind::usage, "another file is being written", {{}, "wait until it is done"});
  const std::string path = chosen.paths.front();
  std::function<std::string()> job;
  if (chosen.purpose == FilePurpose::samples)
    job = [path, cloud = session.scene.cloud()] { return export_samples(path, *cloud); };
  else if (chosen.purpose == FilePurpose::volume)
    job = [path, density = std::make_shared<ShownDensity>(shown_density(session))] {
      return export_volume(path, *density);
    };
  else
    job = [path, density = std::make_shared<ShownDensity>(shown_density(session)),
           levels = levels_of(session)] { return export_surfaces(path, *density, levels); };
  writing_ = std::async(std::launch::async, std::move(job));
}

void FileCommands::take_written(ViewSession& session, ui::PanelLayout& layout) {
  if (!writing_.valid()) return;
  if (writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return ui::show_notice(layout, "writing \u2026");
  try {
    ui::show_notice(layout, "written: " + writing_.get());
  } catch (const Error& error) {
    session.add_error(text_with_controls(error));
    ui::show_notice(layout, "");
  }
}

void FileCommands::carry_out(const ui::FileActions& actions, ViewSession& session,
                             ui::PanelLayout& layout) {
  if (actions.ask) {
    ui::FileDialog& dialog = layout.desk.dialog;
    if (dialog.folder.empty() && session.shown() && !reads_input(session.state))
      dialog.folder =
          std::filesystem::absolute(session.shown()->cloud.paths.front()).parent_path().string();
    ask_for_files(dialog, *actions.ask);
  }
  if (actions.recent && *actions.recent < recent_.lists().size())
    session.open_files(recent_.lists()[*actions.recent]);
  if (actions.ask_columns) ask_columns(session);
  if (actions.columns) choose_columns(*actions.columns, session);
  if (actions.remedy) apply(*actions.remedy, session);
  if (actions.reload) reload(session);
  if (actions.pause) session.requests.pause(!session.requests.paused());
  // A change that is not recorded yet, as the user has just let go, is a step too.
  if (actions.undo || actions.redo) history_.note(session.state, true);
  if (actions.undo && history_.can_undo()) step(ViewState(history_.undo()), session);
  if (actions.redo && history_.can_redo()) step(ViewState(history_.redo()), session);
  if (actions.last_look && last_look_) {
    adopt_look(*last_look_, session.state);
    session.scene.fit_opacities(session.state);
  }
  if (actions.reset_all) {
    ViewState fresh = reset_all(session.state);
    if (session.scene.has_density()) session.scene.fit_axis(fresh);
    session.open_view(std::move(fresh));
  }
  if (actions.copy_command && session.scene.cloud()) {
    ImGui::SetClipboardText(command_of(session).c_str());
    ui::show_notice(layout, "copied: " + command_of(session));
  }
  if (actions.chosen) open(*actions.chosen, session, layout);
}

std::string FileCommands::take_picture_path() { return std::exchange(picture_path_, {}); }

}  // namespace skde::view
