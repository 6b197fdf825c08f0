#pragma once

#include <span>
#include <string_view>

#include "viewer/scene/view_state.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view {

struct ViewField;

}  // namespace skde::view

namespace skde::view::ui {

/// The inputs and the outputs of the panels.
struct Panel {
  ViewState& state;
  const PanelFacts& facts;
  PanelLayout& layout;
  PanelActions& actions;
};

/// Draws a control of several widgets where it has an effect, with its line.
struct ControlDrawer {
  std::string_view title;  ///< of its row in the table of fields
  void (*draw)(const ViewField&, Panel&);
};

// The drawers of each topic; see their sources.

std::span<const ControlDrawer> density_drawers();
std::span<const ControlDrawer> transfer_drawers();
std::span<const ControlDrawer> look_drawers();
std::span<const ControlDrawer> question_drawers();
std::span<const ControlDrawer> method_drawers();

/// Draws the search for controls, the tabs, and the controls of the chosen one.
void draw_tabs(Panel& panel);
/// Draws the numbers of what chop and crop gain at the chosen sample and slice.
void draw_readout(const MethodReadout& readout);
/// Moves the window on while it plays and the picture keeps up; ends with the last time.
void play_time(ViewState& state, const PanelFacts& facts, PanelLayout& layout);
/// Draws the buttons that open and save files, and those that undo steps.
void draw_file_panel(const PanelFacts& facts, PanelLayout& layout, PanelActions& actions);
/// Draws what is known of a followed stream, and a button that pauses it.
void draw_stream_rows(const FileFacts& facts, PanelActions& actions);

}  // namespace skde::view::ui
