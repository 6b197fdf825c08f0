#include "viewer/session/options/surface_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "cli/exit_code.hpp"
#include "core/report/number_list.hpp"

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

void add_surface_flags(cli::OptionTable& table, ViewState& state) {
  table.value({.name = "isovalue",
               .value = "SHARE",
               .help = "position of the isosurface on the axis of the transfer function",
               .by_default = "0.5"},
              state.isovalue, RealNumber(0, 1));
  table.value({.name = "mass",
               .value = "M,...",
               .help = "nested surfaces that hold these shares of the mass, at most 4, such as "
                       "0.5,0.75,0.95; prints density and volume of each (isosurface mode)"},
              state.masses, parse_masses);
}

void take_surfaces(const cli::ParsedFlags& flags, ViewState& state) {
  if (flags.has("isovalue") && flags.has("mass"))
    cli::usage_error("--isovalue and --mass contradict each other; drop one of them");
  if (flags.has("isovalue")) state.masses.clear();
}

}  // namespace skde::view
