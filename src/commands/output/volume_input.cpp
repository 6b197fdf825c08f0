#include "commands/output/volume_input.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/results/result_table.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/output/category_sinks.hpp"
#include "commands/output/volume_info.hpp"
#include "io/volumes/standard_error_field.hpp"

namespace skde::cli {
namespace {

constexpr std::string_view kAll = "all", kNamePlace = "{}";

/// Returns the outputs of each of the volumes.
std::vector<std::vector<std::string>> outputs_of(const std::vector<std::string>& fields,
                                                 const std::vector<std::string>& patterns) {
  std::vector<std::vector<std::string>> outputs(fields.size());
  for (const std::string& pattern : patterns) {
    if (fields.size() > 1 && !pattern.empty() && pattern.find(kNamePlace) == pattern.npos)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: {} volumes would be written to it", pattern, fields.size()),
                  {"output", "put {} into its name, which the names of the volumes replace"});
    const bool is_each = pattern.find(kNamePlace) != pattern.npos;
    const std::vector<std::string> paths = is_each
                                               ? category_paths(pattern, fields)
                                               : std::vector<std::string>(fields.size(), pattern);
    for (std::size_t i = 0; i < fields.size(); ++i) outputs[i].push_back(paths[i]);
  }
  return outputs;
}

}  // namespace

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

void add_field_flag(OptionTable& table, std::string& field) {
  table.value({.name = "field",
               .value = "NAME|all",
               .help = "name of the volume to take from a file with several (FILE:NAME is the "
                       "same); all: each of them, whose names replace {} in the names of outputs",
               .by_default = "the first, with a warning"},
              field);
}

std::string take_density_input(const ParsedFlags& flags, DensityOptions& density, bool has_points) {
  if (flags.positionals.empty())
    throw Error(ErrorKind::usage, fmt::format("no input is given: name files of points, or a "
                                              "volume; see '{} --help'",
                                              flags.command));
  require_inputs(flags.positionals);
  density.files.paths = flags.positionals;
  std::string volume = io::first_volume(flags.positionals, density.files.open);
  if (volume.empty()) {
    if (flags.has("field"))
      throw Error(ErrorKind::usage, "names a volume in a file, but the input is points",
                  {"field", "drop it"});
    assume_widths(flags, density.files, density.request);
    return volume;
  }
  if (flags.positionals.size() > 1)
    throw Error(ErrorKind::usage,
                fmt::format("{}: is a volume; name it alone, without other files", volume));
  for (const DensityField& field : density_fields()) {
    const std::string& name = field.text.name;
    const bool applies = (has_points && name == "geographic") || name == "engine" ||
                         name == "threads" || name == "device" || name == "device-memory";
    if (flags.has(name) && !applies)
      throw Error(
          ErrorKind::usage,
          fmt::format("--{} has no effect on {}, which is a volume; drop it", name, volume));
  }
  return volume;
}

std::string volume_named(const std::string& path, const std::string& field) {
  if (field.empty()) return path;
  if (const std::string named = io::volume_path(path).field; !named.empty())
    throw Error(ErrorKind::usage,
                fmt::format("{}: already names a field '{}'; drop --field", path, named));
  return path + ":" + field;
}

CommandResult for_each_volume(const std::string& path, const std::string& field,
                              const std::vector<std::string>& outputs, const VolumeWork& work) {
  if (field != kAll) return work(field, outputs);
  static_cast<void>(volume_named(path, field));  // throws if the path names one
  const std::vector<std::string> fields =
      io::without_standard_errors(io::read_volume_head(path).fields);
  if (fields.empty()) return work("", outputs);
  const std::vector<std::vector<std::string>> each = outputs_of(fields, outputs);
  CommandResult all;
  VolumeList list;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    CommandResult one = work(fields[i], each[i]);
    all.form = one.form;
    all.report += fmt::format("{}{}:\n{}", all.report.empty() ? "" : "\n",
                              printable(path + ":" + fields[i]), one.report);
    list.volumes.push_back({std::move(one.summary)});
  }
  all.summary = document_json(list);
  return all;
}

}  // namespace skde::cli
