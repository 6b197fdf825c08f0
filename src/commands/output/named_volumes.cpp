#include "commands/output/named_volumes.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/options/density_options.hpp"
#include "cli/options/width_options.hpp"
#include "cli/results/result_table.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/output/category_sinks.hpp"
#include "commands/output/volume_info.hpp"
#include "core/report/error.hpp"
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

void add_field_flag(OptionTable& table, std::string& field) {
  table.value({.name = "field",
               .value = "NAME|all",
               .help = "name of the volume to take from a file with several (FILE:NAME is the "
                       "same); all: each of them, whose names replace {} in the names of outputs",
               .by_default = "the first, with a warning"},
              field);
}

std::string take_density_input(const ParsedFlags& flags, DensityOptions& density) {
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
    const bool applies =
        name == "engine" || name == "threads" || name == "device" || name == "device-memory";
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
