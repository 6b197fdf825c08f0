#include "commands/output/mass_options.hpp"

#include <fmt/core.h>

namespace skde::cli {

double parse_mass(const std::string& given) {
  const double mass = RealNumber(0)(given);
  if (mass > 0 && mass < 1) return mass;
  throw Error(ErrorKind::usage, fmt::format("must be between 0 and 1; got '{}'", given),
              {{}, "give shares of the total mass, such as 0.5,0.95"});
}

void add_mass_flag(OptionTable& table, const std::string& by_default, std::vector<double>& masses) {
  table.value({.name = "mass",
               .value = "P,P,...",
               .help = "shares of the total mass, each between 0 and 1",
               .by_default = by_default},
              masses, list_of(parse_mass));
}

}  // namespace skde::cli
