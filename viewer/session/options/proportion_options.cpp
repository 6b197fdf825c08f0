#include "viewer/session/options/proportion_options.hpp"

#include <fmt/core.h>

#include "cli/exit_code.hpp"
#include "core/report/number_list.hpp"

namespace skde::view {

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

}  // namespace skde::view
