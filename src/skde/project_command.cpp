#include <fmt/format.h>

#include <numeric>

#include "analysis/line_projection.hpp"
#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/report_parts.hpp"
#include "cli/standard_output.hpp"
#include "cli/terminal_progress.hpp"
#include "pictures/picture_captions.hpp"
#include "skde/commands.hpp"
#include "skde/plane_output.hpp"

namespace skde::cli {
namespace {

struct Settings {
  PlaneOptions planes;
  bool maximum = false;
};

OptionTable make_table(Settings& settings) {
  OptionTable table("skde project", "VOLUME --axis A -o FILE [FLAGS]",
                    "Projects a volume along an axis: integrals along the lines, which are a "
                    "density per area, or the greatest values on them.");
  table.group("Lines");
  add_axis_flag(table, "along which the lines run", settings.planes.axis);
  table.value({.name = "of",
               .value = "integral|maximum",
               .help = "what is taken of each line",
               .by_default = "integral",
               .words = {"integral", "maximum"}},
              settings.maximum, OneOf<bool>{{"integral", false}, {"maximum", true}});
  add_plane_output(table, settings.planes);
  table.example("skde project density.vti --axis z -o above.png", "the density seen from above");
  table.example("skde project density.nc --axis x --of maximum -o side.npy",
                "the greatest values along x as an array");
  return table;
}

PlaneFile make_projection(const Settings& settings, const VolumeInput& input) {
  const DensityMetadata& metadata = input.file.metadata;
  const int axis = settings.planes.axis;
  const std::string name = axis_name(metadata, static_cast<std::size_t>(axis));
  PlaneFile file;
  file.set.axis = axis;
  file.set.units = metadata.units;
  file.set.quantity = settings.maximum ? "maximum" : "integral";
  file.set.unit = settings.maximum ? quantity_unit(metadata) : line_integral_unit(metadata);
  file.set.planes.push_back(settings.maximum ? line_maxima(input.file.volume, axis)
                                             : line_integrals(input.file.volume, axis));
  file.title = fmt::format("Kernel density, {} along {}", file.set.quantity, name);
  file.captions = {
      fmt::format("{} of the {} along {}", file.set.quantity, quantity_name(metadata), name)};
  return file;
}

}  // namespace

void run_project(const Invocation& invocation) {
  Settings settings;
  const OptionTable table = make_table(settings);
  const ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) return print(table.help());
  const std::string path = only_volume(flags);
  check_plane_output(flags, settings.planes, path);
  TerminalProgress progress(!settings.planes.quiet);
  const VolumeInput input = read_input(path, progress);
  const PlaneFile file = make_projection(settings, input);
  const std::vector<WrittenFile> written = write_planes(settings.planes, input, file, progress);
  progress.clear();
  if (settings.planes.json) {
    print_json(planes_json("projection", input, file.set, written));
  } else if (!settings.planes.quiet) {
    Report report;
    add_planes(report, file.set, written);
    print(report.text());
  }
}

}  // namespace skde::cli
