#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "cli/cancellation.hpp"
#include "cli/options/density_options.hpp"
#include "cli/outputs.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/result_table.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/output/cloud_info.hpp"
#include "commands/output/volume_info.hpp"
#include "core/cloud/thinned_samples.hpp"
#include "estimate/plan/block_choice.hpp"
#include "io/points/row_index.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {
namespace {

struct InfoSettings {
  DensityOptions density;
  std::optional<Box> bounds;
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
  add_density_fields(table, settings.density, target::kCloud);
  table.group("Box");
  table.value({.name = "bounds",
               .value = "X0,Y0,Z0:X1,Y1,Z1",
               .help = "also counts the samples in this box; of a file with an index, only the "
                       "blocks that its faces cut are read"},
              settings.bounds, parse_bounds);
  table.group("Kernel");
  FieldText kernel = density_field("kernel").text;
  kernel.help = "kernel of the suggested bandwidths: " + kernel.help;
  table.value(std::move(kernel), settings.density.request.kernel, KernelFunction::named);
  table.example("skde info quakes.csv --columns long,lat,depth", "a cloud with named columns");
  table.example("skde info sorted.npy --bounds 0,0,0:1,1,1", "the samples in a box as well");
  table.example("skde info density.vti --json", "a volume, for a program");
  return table;
}

/// Calls use(chunk) for all samples of a stream.
template <class Use>
void for_each_chunk(io::CloudStream& stream, Progress& progress, const Use& use) {
  Samples chunk;
  while (stream.read(chunk, std::size_t{1} << 18, progress)) use(chunk.view());
}

void count(const SamplesView& points, SamplesInBox& inside) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (inside.box.holds(points.point(i))) ++inside.samples;
}

/// Describes a file by its index, and reads the blocks that the faces of the box cut.
void describe_indexed(const CloudFiles& files, const io::RowIndex& index, Progress& progress,
                      CloudInfo& info) {
  info.moments = index.moments;
  info.inner_bounds = index.inner_bounds;
  info.counts = io::counts_of(index);
  SamplesInBox& inside = *info.in_box;
  inside.blocks = choose_faces(index, inside.box, inside.samples);
  if (inside.blocks->read.empty()) return;
  io::CloudStream stream(files.paths, files.columns, files.non_finite,
                         {.files = files.open, .rows = inside.blocks->read});
  for_each_chunk(stream, progress, [&](const SamplesView& points) { count(points, inside); });
}

void describe_all(io::CloudStream& stream, Progress& progress, CloudInfo& info) {
  ThinnedSamples thinned;
  for_each_chunk(stream, progress, [&](const SamplesView& points) {
    info.moments.add(points);
    info.shapes.add(points);
    thinned.add(points);
    if (info.in_box) count(points, *info.in_box);
  });
  info.inner_bounds = thinned.without_outliers(info.moments.bounds());
  thinned.keep_in(info.moments);
  info.counts = stream.counts();
}

CommandResult show_cloud(const std::vector<std::string>& inputs, const InfoSettings& settings) {
  const CancelAtOnce nothing_to_clean_up;
  TerminalProgress progress(!settings.quiet);
  const CloudFiles& files = settings.density.files;
  io::CloudStream stream(inputs, files.columns, files.non_finite, {.files = files.open});
  CloudInfo info{inputs, settings.density.request.kernel, {}, {}, {}, {}, stream.columns()};
  io::RowIndexFound found;
  if (settings.bounds) {
    info.in_box = {*settings.bounds};
    if (files.non_finite == io::NonFinite::drop) found = stream.row_index();
    info.index_ignored = std::move(found.why_ignored);
  }
  if (found.index)
    describe_indexed(files, *found.index, progress, info);
  else
    describe_all(stream, progress, info);
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

CommandResult run_info(InfoSettings& settings, const ParsedFlags& flags, const Invocation&) {
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
  flags.require_only({"json", "quiet"}, "has no effect on a volume");
  return show_volumes(files, settings.json);
}

}  // namespace

const Command kInfo = command<info_table, run_info>("info", "describes a cloud or a volume file");

}  // namespace skde::cli
