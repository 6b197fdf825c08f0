#include "commands/output/volume_input.hpp"

#include <fmt/core.h>

#include "cli/exit_code.hpp"
#include "cli/results/result_table.hpp"
#include "cli/text/number_format.hpp"

namespace skde::cli {

std::string only_volume(const ParsedFlags& flags) {
  if (flags.positionals.size() == 1) return flags.positionals.front();
  throw Error(ErrorKind::usage,
              flags.positionals.empty()
                  ? "no volume is given; name one"
                  : fmt::format("expected one volume; got {}", flags.positionals.size()));
}

VolumeInput read_input(const std::string& path, Progress& progress, const io::OpenFiles& files) {
  progress.begin("reading " + path, 0, "bytes");
  VolumeInput input{path, io::read_volume(path, files), {}};
  progress.throw_if_cancelled();
  input.warnings = io::field_warnings(path, input.file);
  input.path = io::path_of_field(path, input.file);
  if (!input.file.placed)
    throw Error(ErrorKind::input,
                fmt::format("{}: does not give the coordinates of its cells", path),
                {{}, "add its coordinates to it"});
  return input;
}

DensityMass mass_of_input(const VolumeInput& input) {
  for (const Warning& warning : input.warnings) print_warning("skde", warning);
  const DensityMass mass =
      about_volume(input, [&] { return density_mass(input.file.volume, input.file.metadata); });
  if (mass.negatives > 0)
    print_warning("skde",
                  {"negative_values",
                   fmt::format("{}: {} values below 0 count as 0; the lowest is {}", input.path,
                               format_count(mass.negatives), format_value(mass.least)),
                   {"tolerance", "estimate it with a smaller `tolerance`"}});
  if (!mass.whole_known)
    print_warning(
        "skde",
        {"whole_unknown",
         fmt::format(
             "{}: does not state the mass outside its box; masses are shares of that inside",
             input.path),
         {{}, "use a volume of skde to include it"}});
  return mass;
}

void add_input(Report& report, const VolumeInput& input, const DensityMass& mass) {
  report.line("volume", input.path);
  const std::string source =
      mass.inside_told
          ? fmt::format(" as the file states (its cells sum to {})", format_value(mass.cells))
          : "";
  report.line("mass in box",
              mass.whole_known
                  ? fmt::format("{} of {}{}; {} is outside", format_value(mass.inside),
                                format_value(mass.whole), source, format_share(mass.outside()))
                  : fmt::format("{}, assumed to be the total", format_value(mass.inside)));
  if (mass.negatives > 0)
    report.line("below 0", fmt::format("{} values, which count as 0; the lowest is {}",
                                       format_count(mass.negatives), format_value(mass.least)));
}

void add_fields(Fields<DensityMass>& add) {
  add.name("mass");
  add("inside", "mass in the box, as the file states, or else of the cells", &DensityMass::inside);
  add("cells", "sum of the values times the volume of a cell", &DensityMass::cells);
  add("outside", "share of the total mass outside the box", &DensityMass::outside);
  add("whole", "integral over all space", &DensityMass::whole);
  add("whole_known", "false: the file does not state it, and the box is assumed to hold all",
      &DensityMass::whole_known);
  add("negatives", "values below 0, which count as 0", &DensityMass::negatives);
  add("least", "the lowest of them; 0 if there are none", &DensityMass::least);
}

}  // namespace skde::cli
