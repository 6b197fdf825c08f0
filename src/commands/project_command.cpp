#include <fmt/core.h>

#include "analysis/volume_planes.hpp"
#include "cli/results/json_document.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/commands.hpp"
#include "commands/output/plane_output.hpp"
#include "commands/output/volume_input.hpp"
#include "pictures/picture_captions.hpp"

namespace skde::cli {
namespace {

/// The quantity computed along each line.
enum class LineValue : std::uint8_t { integral, maximum, both };
constexpr Words<LineValue, 3> kLineValues{{{"integral", LineValue::integral},
                                           {"maximum", LineValue::maximum},
                                           {"both", LineValue::both}}};

struct ProjectSettings {
  PlaneOptions planes;
  LineValue of = LineValue::integral;
};

/// Returns the names of the quantities to write.
std::vector<std::string> quantities_of(LineValue of) {
  if (of == LineValue::both) return {"integral", "maximum"};
  return {std::string(word_of(kLineValues, of))};
}

OptionTable project_table(ProjectSettings& settings) {
  OptionTable table("skde project", "VOLUME --axis A -o FILE [FLAGS]",
                    "Projects a volume along an axis: integrals along the lines, which are a "
                    "density per area, or the maxima on them.");
  table.group("Lines");
  add_axis_flag(table, "axis along which to project", settings.planes);
  table.value({.name = "of",
               .value = "integral|maximum|both",
               .help = "quantity of each line; with both, columns of a table, the first axis of an "
                       "array, or one file each if -o contains {}",
               .by_default = "integral"},
              settings.of, OneOf<LineValue>(kLineValues));
  add_plane_output(table, settings.planes);
  table.example("skde project density.vti --axis z -o above.png", "the density seen from above");
  table.example("skde project density.nc --axis x --of maximum -o side.npy",
                "the maxima along x, as an array");
  table.example("skde project density.vti --axis z --of both -o above_{}.png",
                "a picture of the integrals and one of the maxima");
  return table;
}

PlaneFile make_projection(int axis, const std::string& quantity, const VolumeInput& input) {
  const DensityMetadata& metadata = input.file.metadata;
  const std::string name = axis_name(metadata, static_cast<std::size_t>(axis));
  const bool maximum = quantity == word_of(kLineValues, LineValue::maximum);
  PlaneFile file;
  file.set.axis = axis;
  file.set.units = metadata.units;
  file.set.quantity = quantity;
  file.set.unit = maximum ? quantity_unit(metadata) : line_integral_unit(metadata);
  file.set.planes.push_back(maximum ? line_maxima(input.file.volume, axis)
                                    : line_integrals(input.file.volume, axis));
  file.title = fmt::format("{}, {} along {}", picture_title(metadata, input.grid()),
                           file.set.quantity, name);
  file.captions = {
      fmt::format("{} of the {} along {}", file.set.quantity, quantity_name(metadata), name)};
  return file;
}

CommandResult run_project(ProjectSettings& settings, const ParsedFlags& flags, const Invocation&) {
  const std::string path = only_volume(flags);
  const std::vector<std::string> quantities = quantities_of(settings.of);
  return for_each_volume(
      path, settings.planes.field, {settings.planes.output},
      [&](const std::string& field, const std::vector<std::string>& outputs) {
        PlaneOptions own = settings.planes;
        own.output = outputs[0];
        check_plane_output(flags, own, path, quantities);
        TerminalProgress progress(!own.quiet);
        const VolumeInput input = read_input(volume_named(path, field), progress);
        own.axis = static_cast<int>(axis_called(own.axis_word, input.file.metadata));
        std::vector<PlaneFile> planes;
        planes.reserve(quantities.size());
        for (const std::string& quantity : quantities)
          planes.push_back(make_projection(own.axis, quantity, input));
        return deliver_planes("projection", own, input, std::move(planes), progress);
      });
}

}  // namespace

const Command kProject = command<project_table, run_project>(
    "project", "projects a volume along an axis: integrals or maxima");

}  // namespace skde::cli
