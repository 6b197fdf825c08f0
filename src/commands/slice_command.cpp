#include <fmt/core.h>

#include <limits>

#include "analysis/volume_planes.hpp"
#include "cli/results/json_document.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/output/picture_flags.hpp"
#include "commands/output/plane_output.hpp"
#include "commands/output/volume_input.hpp"
#include "pictures/picture_captions.hpp"
#include "pictures/plane_picture.hpp"

namespace skde::cli {
namespace {

struct SliceSettings {
  PlaneOptions planes;
  std::vector<double> at;
  int sheet = 0;
};

OptionTable slice_table(SliceSettings& settings) {
  OptionTable table("skde slice", "VOLUME --at V -o FILE [FLAGS]",
                    "Cuts a volume along planes perpendicular to an axis. Values between two "
                    "layers of cell centres are interpolated linearly.");
  table.group("Planes");
  add_axis_flag(table, "axis perpendicular to the planes", settings.planes);
  table.value(
      {.name = "at",
       .value = "V,V,...",
       .help =
           "positions along the axis in the units of the coordinates; several make a contact sheet",
       .by_default = "the middle of the box"},
      settings.at, list_of(RealNumber(std::numeric_limits<double>::lowest())));
  table.value({.name = "sheet",
               .value = "N",
               .help = "a contact sheet of planes through N equal parts of the box"},
              settings.sheet, WholeNumber<int>(1, kMostPlanes));
  add_plane_output(table, settings.planes);
  table.example("skde slice density.vti --axis z --at 12.5 -o slice.png", "a picture of a plane");
  table.example("skde slice density.nc --axis y --sheet 12 -o sheet.png", "a contact sheet");
  table.example("skde slice density.nrrd --at 1,2,3 -o planes.npy", "an array of three planes");
  return table;
}

std::vector<double> places_of(const SliceSettings& settings, const Grid& grid) {
  if (!settings.at.empty()) return settings.at;
  return even_places(grid, settings.planes.axis, std::max(1, settings.sheet));
}

/// A place that the user gave keeps its digits.
std::string place_text(const SliceSettings& settings, const Grid& grid, double at) {
  if (!settings.at.empty()) return fmt::format("{:.12g}", at);
  return format_coordinate(at, grid.bounds().extent()[settings.planes.axis]);
}

void require_places_inside(const SliceSettings& settings, const VolumeInput& input) {
  const int axis = settings.planes.axis;
  const Box box = input.grid().bounds();
  const double extent = box.extent()[axis];
  for (const double at : settings.at)
    if (!(at >= box.lower[axis] && at <= box.upper[axis]))
      throw Error(ErrorKind::usage,
                  fmt::format("{} = {:.12g} is outside the box, which spans {} to {}",
                              axis_name(input.file.metadata, static_cast<std::size_t>(axis)), at,
                              format_coordinate(box.lower[axis], extent),
                              format_coordinate(box.upper[axis], extent)),
                  {"at", "give a position within it"});
}

PlaneFile make_slices(const SliceSettings& settings, const VolumeInput& input, Progress& progress) {
  const DensityMetadata& metadata = input.file.metadata;
  const int axis = settings.planes.axis;
  const std::string name = axis_name(metadata, static_cast<std::size_t>(axis));
  PlaneFile file;
  file.set.axis = axis;
  file.set.at = places_of(settings, input.grid());
  file.set.quantity = quantity_name(metadata);
  file.set.unit = quantity_unit(metadata);
  file.set.units = metadata.units;
  file.title = fmt::format("{}, {} across {}", picture_title(metadata, input.grid()),
                           file.set.at.size() > 1 ? "planes" : "plane", name);
  progress.begin("slicing", file.set.at.size(), "planes");
  for (const double at : file.set.at) {
    progress.throw_if_cancelled();
    file.set.planes.push_back(plane_slice(input.file.volume, axis, at));
    file.captions.push_back(fmt::format("{} = {}{}", name, place_text(settings, input.grid(), at),
                                        input.units().empty() ? "" : " " + input.units()));
    progress.update(file.set.planes.size());
  }
  return file;
}

void check_slice(const ParsedFlags& flags, const SliceSettings& settings) {
  if (flags.has("at") && flags.has("sheet"))
    throw Error(ErrorKind::usage, "--sheet contradicts --at, which gives the planes; drop one");
  if (settings.at.size() > kMostPlanes && is_picture_name(settings.planes.output))
    throw Error(ErrorKind::usage,
                fmt::format("--at: {} planes are too many for a picture of {}; give fewer",
                            settings.at.size(), kMostPlanes));
}

CommandResult run_slice(SliceSettings& settings, const ParsedFlags& flags, const Invocation&) {
  const std::string path = only_volume(flags);
  check_slice(flags, settings);
  return for_each_volume(
      path, settings.planes.field, {settings.planes.output},
      [&](const std::string& field, const std::vector<std::string>& outputs) {
        SliceSettings own = settings;
        own.planes.output = outputs[0];
        check_plane_output(flags, own.planes, path, {"density"});
        TerminalProgress progress(!own.planes.quiet);
        const VolumeInput input = read_input(volume_named(path, field), progress);
        own.planes.axis = static_cast<int>(axis_called(own.planes.axis_word, input.file.metadata));
        require_places_inside(own, input);
        std::vector<PlaneFile> planes{make_slices(own, input, progress)};
        return deliver_planes("slices", own.planes, input, std::move(planes), progress);
      });
}

}  // namespace

const Command kSlice = command<slice_table, run_slice>(
    "slice", "writes planes of a volume, as a picture, an array or a table");

}  // namespace skde::cli
