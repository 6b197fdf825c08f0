#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "cli/exit_code.hpp"
#include "core/report/number_list.hpp"
#include "viewer/session/options/topic_options.hpp"

namespace skde::view {
namespace {

std::vector<double> parse_masses(const std::string& given) {
  std::vector<double> masses = parse_number_list<double>(given);
  const auto is_share = [](double mass) { return mass > 0 && mass < 1; };
  if (masses.empty() || masses.size() > kMostSurfaces || !std::ranges::all_of(masses, is_share))
    cli::usage_error(
        fmt::format("must be 1 to {} shares between 0 and 1, such as 0.5,0.95; got "
                    "'{}'",
                    kMostSurfaces, given));
  return masses;
}

}  // namespace

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

void add_proportion_flag(cli::OptionTable& table, ViewState& state) {
  table.value({.name = "proportions",
               .value = "auto|true|fit|FX,FY,FZ",
               .help = "true: equal scales along all axes; fit: the box is drawn as a cube; 1,1,5: "
                       "lengths along z are drawn 5 times as long as along x",
               .by_default = "auto: fit if an edge is 12 times as long as another"},
              state.proportions, [&state](const std::string& given) {
                state.axis_factors = {1, 1, 1};
                if (given.find(',') == given.npos) return OneOf<Proportions>(kProportions)(given);
                const std::vector<double> v = parse_number_list<double>(given);
                if (v.size() != 3 || !are_factors({v[0], v[1], v[2]}))
                  cli::usage_error(fmt::format(
                      "must be auto, true, fit, or three factors such as 1,1,5; got '{}'", given));
                state.axis_factors = {v[0], v[1], v[2]};
                return Proportions::alike;
              });
}

void add_surface_flags(cli::OptionTable& table, ViewState& state) {
  table.value({.name = "isovalue",
               .value = "SHARE",
               .help = "position of the isosurface on the axis of the transfer function",
               .by_default = "0.5"},
              state.isovalue, RealNumber(0, 1));
  table.value({.name = "mass",
               .value = "M,...",
               .help = "nested surfaces that hold these shares of the mass, at most 4, such as "
                       "0.5,0.75,0.95; prints density and volume of each (isosurface mode)",
               .by_default = "0.5,0.75,0.95 with --mode isosurface, without --isovalue"},
              state.masses, parse_masses);
}

void take_surfaces(const cli::ParsedFlags& flags, RenderMode before, ViewState& state) {
  if (flags.has("isovalue") && flags.has("mass"))
    cli::usage_error("--isovalue and --mass contradict each other; drop one of them");
  if (flags.has("isovalue")) state.masses.clear();
  if (state.mode != before && !flags.has("isovalue")) start_mode(state);
}

}  // namespace skde::view
