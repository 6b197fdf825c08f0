#include "viewer/session/options/division_options.hpp"

#include <fmt/core.h>

#include "cli/exit_code.hpp"

namespace skde::view {

void add_division_flags(cli::OptionTable& table, ViewState& state) {
  table.value(
      {.name = "split",
       .value = "SHARE",
       .help = "share of the method in the width of both views, from 0.1 to 0.9",
       .by_default = "0.4"},
      state.division.method, [](const std::string& given) {
        const double share = RealNumber(0)(given);
        if (share < Division::kLeastMethod || share > Division::kMostMethod)
          cli::usage_error(fmt::format("must be from {} to {}; got '{}'", Division::kLeastMethod,
                                       Division::kMostMethod, given));
        return share;
      });
  table.value(
      {.name = "panel-width",
       .value = "PIXELS",
       .help = "width of the panels at scale 1; 0 hides them",
       .by_default = "320"},
      state.division.panels, [&state](const std::string& given) {
        const double width = RealNumber(0)(given);
        state.division.panels_shown = width > 0;
        if (width == 0) return Division().panels;
        if (width < Division::kLeastPanels || width > Division::kMostPanels)
          cli::usage_error(fmt::format("must be 0, or from {} to {}; got '{}'",
                                       Division::kLeastPanels, Division::kMostPanels, given));
        return width;
      });
}

void take_division(const cli::ParsedFlags& flags, ViewOptions& options) {
  if (!options.headless()) return;
  if (flags.has("split") && options.state.layout != ViewLayout::both)
    cli::usage_error("--split has no effect without --view both; drop it");
  if (flags.has("panel-width") && !options.panels)
    cli::usage_error("--panel-width has no effect on a picture without --panels; add --panels");
  if (flags.has("panel-width") && !options.state.division.panels_shown)
    cli::usage_error("--panels and --panel-width 0 contradict each other; drop one of them");
  if (options.panels) options.state.division.panels_shown = true;
}

}  // namespace skde::view
