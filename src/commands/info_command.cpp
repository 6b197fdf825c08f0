#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "cli/cancellation.hpp"
#include "cli/options/density_options.hpp"
#include "cli/results/result_table.hpp"
#include "cli/standard_output.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/output/cloud_info.hpp"
#include "commands/output/volume_info.hpp"
#include "commands/served_commands.hpp"
#include "core/cloud/thinned_samples.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {
namespace {

struct InfoSettings {
  DensityOptions density;
  bool json = false, quiet = false;
};

OptionTable info_table(InfoSettings& settings) {
  OptionTable table("skde info", "IN... [FLAGS]",
                    "Describes files. Point clouds (several are one cloud; - is standard input): "
                    "counts, bounds, mean, covariance, suggested bandwidths and the memory of the "
                    "default grid. Volumes: grid, values and metadata of each.");
  table.group("Output");
  table.flag({.name = "json", .help = "prints one JSON object instead", .local = true},
             settings.json);
  table.flag({.name = "quiet", .help = "no progress bar", .local = true}, settings.quiet);
  add_server_flag(table);
  add_density_fields(table, settings.density, target::cloud);
  table.group("Kernel");
  FieldText kernel = density_field("kernel").text;
  kernel.help = "kernel of the suggested bandwidths: " + kernel.help;
  table.value(std::move(kernel), settings.density.request.kernel, KernelFunction::named);
  table.example("skde info quakes.csv --columns long,lat,depth", "a cloud with named columns");
  table.example("skde info density.vti --json", "a volume, for a program");
  return table;
}

CommandResult show_cloud(const std::vector<std::string>& inputs, const InfoSettings& settings) {
  const CancelAtOnce nothing_to_clean_up;
  TerminalProgress progress(!settings.quiet);
  const CloudFiles& files = settings.density.files;
  io::CloudStream stream(inputs, files.columns, files.non_finite, {.files = files.open});
  CloudInfo info{inputs, settings.density.request.kernel, {}, {}, {}, {}, stream.columns()};
  Samples chunk;
  ThinnedSamples thinned;
  while (stream.read(chunk, std::size_t{1} << 18, progress)) {
    info.moments.add(chunk.view());
    info.shapes.add(chunk.view());
    thinned.add(chunk.view());
  }
  info.inner_bounds = thinned.without_outliers(info.moments.bounds());
  info.moments.keep_robust_covariance(thinned.robust_covariance());
  info.counts = stream.counts();
  progress.clear();
  if (info.moments.count() == 0)
    throw Error(ErrorKind::input, fmt::format("{}: none of its {} rows is left: {}", inputs[0],
                                              info.counts.rows, counts_text(info.counts)));
  return show_result({settings.json}, info);
}

/// Shows the volume of a path, or each volume of a file if the path names none.
void show_each(const std::string& path, const io::OpenFiles& files,
               const std::function<void(const std::string&, const io::VolumeFile&)>& show) {
  const io::VolumeFile found = io::read_volume(path, files);
  if (found.fields.empty() || !io::volume_path(path).field.empty()) return show(path, found);
  for (const std::string& field : found.fields) {
    const std::string named = fmt::format("{}:{}", path, field);
    if (field == found.field)
      show(named, found);
    else
      show(named, io::read_volume(named, files));
  }
}

CommandResult show_volumes(const CloudFiles& files, bool json) {
  VolumeList list;
  std::string text;
  const auto show = [&](const std::string& path, const io::VolumeFile& file) {
    const VolumeShown shown(path, file);
    text += fmt::format("{}{}:\n{}", text.empty() ? "" : "\n", printable(path),
                        report_text(result_table<VolumeShown>(), &shown));
    list.volumes.push_back({document_json(shown)});
  };
  for (const std::string& path : files.paths) show_each(path, files.open, show);
  if (list.volumes.size() == 1) return {{json}, list.volumes[0].json, text};
  return {{json}, document_json(list), text};
}

}  // namespace

CommandResult run_info(const Invocation& invocation) {
  InfoSettings settings;
  const OptionTable table = info_table(settings);
  const ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) return help_page(table, flags);
  const std::vector<std::string>& inputs = flags.positionals;
  if (inputs.empty())
    throw Error(ErrorKind::usage,
                "no input is given: name files of points or volumes, or - for standard input");
  CloudFiles& files = settings.density.files;
  files.paths = inputs;
  const auto volumes = std::ranges::count_if(inputs, [&](const std::string& path) {
    return path != "-" && io::is_volume_file(path, files.open);
  });
  if (volumes == 0) {
    assume_widths(flags, files, settings.density.request);
    check_width_options(flags, files.columns);
    return show_cloud(inputs, settings);
  }
  if (static_cast<std::size_t>(volumes) != inputs.size())
    throw Error(ErrorKind::usage, "point clouds and volumes cannot be mixed; use separate calls");
  for (const std::string_view name : {"columns", "weights", "widths", "width-form", "where",
                                      "geographic", "skip", "nan", "kernel"})
    if (flags.has(name))
      throw Error(ErrorKind::usage, fmt::format("--{} has no effect on a volume; drop it", name));
  return show_volumes(files, settings.json);
}

}  // namespace skde::cli
