#pragma once

#include "viewer/scene/appearance.hpp"
#include "viewer/scene/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

/// The panels of the side window, one function each; see their sources.
namespace skde::view::ui {

/// Draws the controls of what is cut away: a box, and a plane at any angle.
void draw_clip_panel(ViewState& state, const PanelFacts& facts);
/// Draws the options of reading the files (columns, weights, units) and the box that is used.
void draw_cloud_panel(ViewState& state, const PanelFacts& facts, PanelActions& actions);
/// Draws what the density is compared with, how, and the figures of the comparison.
void draw_compare_panel(ViewState& state, const PanelFacts& told, PanelLayout& layout,
                        PanelActions& actions);
/// Draws kernel, bandwidth, covariance, grid, engine and normalisation.
void draw_density_panel(ViewState& state, const PanelFacts& facts, const PanelLayout& layout,
                        PanelActions& actions);
/// Draws the rows for the kernel's ellipsoid: its form, and a rule, h, or three lengths.
void draw_bandwidth_rows(ViewState& state, const PanelFacts& facts, const PanelLayout& layout,
                         PanelActions& actions);
/// Draws rarely needed details: other ways to specify H, the grid and the engine's machine.
void draw_details_panel(ViewState& state, const PanelFacts& facts, PanelActions& actions);
/// Draws the fit of ellipsoids to the density: their number, start and stop, the error over the
/// steps, what was reached, and the file to save it in.
void draw_fit_panel(const MixtureFacts& facts, PanelLayout& layout, PanelActions& actions);
/// Draws the chosen sample and slice, and the numbers of what chop and crop gain there.
void draw_method_panel(ViewState& state, const PanelFacts& facts);
/// Draws how ellipsoids are shown, and the numbers of the chosen one.
void draw_mixture_panel(ViewState& state, const MixtureFacts& facts);
/// Draws the theme, and the ground, title, decorations, format and size of pictures that are
/// written.
void draw_picture_panel(ViewState& state, PanelActions& actions);
/// Draws the controls of how samples look in the volume, and which are shown.
void draw_point_panel(ViewState& state, const PanelFacts& facts);
/// Draws the switch of the probe and the table of its pins, which can be copied.
void draw_probe_panel(ViewState& state, const ProbeFacts& facts);
/// Draws the controls of the three orthogonal sections.
void draw_section_panel(ViewState& state, const PanelFacts& facts, PanelActions& actions);
/// Draws how the picture was made: path, engine, stage times, frame times, memory, renderer.
void draw_statistics_panel(const StatisticsFacts& facts);
/// Draws colours and opacities: the editor, colour maps, the axis, presets, and their files.
void draw_transfer_panel(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                         PanelActions& actions);
/// Draws what is shown, how the volume is drawn, and the camera.
void draw_view_panel(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                     PanelActions& actions);
/// Draws the column of times, the window in it, and the button that plays it.
void draw_time_panel(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                     PanelActions& actions);
/// Moves the window on while it plays and the picture keeps up; ends with the last time.
void play_time(ViewState& state, const PanelFacts& facts, PanelLayout& layout);
/// Draws the buttons that open and save files, and those that undo steps.
void draw_file_panel(const PanelFacts& facts, PanelLayout& layout, PanelActions& actions);
/// Draws what is known of a followed stream, and a button that pauses it.
void draw_stream_rows(const FileFacts& facts, PanelActions& actions);

}  // namespace skde::view::ui
