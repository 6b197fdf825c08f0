#include "skde/plane_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "cli/axis_flips.hpp"
#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/output_path.hpp"
#include "cli/report_parts.hpp"
#include "io/text_fields.hpp"
#include "pictures/plane_picture.hpp"

namespace skde::cli {
namespace {

std::string extension_of(const std::string& path) {
  return io::lower_case(std::filesystem::path(path).extension().string());
}

void check_place(const std::string& path, const std::string& input) {
  require_not_read(path, "-o", std::vector{input});
  require_writable(path, "-o");
}

}  // namespace

void add_axis_flag(OptionTable& table, const std::string& meaning, int& axis) {
  table.value({.name = "axis",
               .value = "x|y|z",
               .help = meaning,
               .by_default = "z",
               .words = {"x", "y", "z"}},
              axis, OneOf<int>{{"x", 0}, {"y", 1}, {"z", 2}});
}

void add_plane_output(OptionTable& table, PlaneOptions& options) {
  table.group("Output");
  table.value({.name = "output",
               .value = "FILE",
               .help = "a picture with axes and a colour bar (.png), an array with a description "
                       "beside it (.npy), or a table with coordinates (.csv)",
               .letter = 'o'},
              options.output);
  add_flip_flag(table, options.flipped);
  add_summary_flags(table, options.json, options.quiet);
}

void check_plane_output(const ParsedFlags& flags, const PlaneOptions& options,
                        const std::string& input) {
  if (options.output.empty())
    throw Error(ErrorKind::usage, "nothing to write: name a picture or an array with -o FILE");
  const std::string extension = extension_of(options.output);
  if (extension != ".png" && extension != ".npy" && extension != ".csv")
    throw Error(ErrorKind::usage,
                fmt::format("{}: planes are written as .png, .npy, .csv", options.output),
                {"output", "end the name in one of these"});
  if (flags.has("flip") && extension != ".png")
    throw Error(ErrorKind::usage, "--flip has no effect but on pictures; drop it");
  if (extension == ".png" && !SKDE_HAS_PICTURES)
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: this build writes no pictures", options.output),
                {"output", "build it with cairo and SKDE_WITH_PICTURES=ON"});
  check_place(options.output, input);
  if (extension == ".npy") check_place(options.output + ".json", input);
}

std::vector<WrittenFile> write_planes(const PlaneOptions& options, const VolumeInput& input,
                                      PlaneFile file, Progress& progress) {
  const std::string& path = options.output;
  const std::string extension = extension_of(path);
  progress.throw_if_cancelled();
  if (extension == ".csv") {
    io::write_plane_csv(path, file.set, input.grid(), progress);
    return {written_file("table", path)};
  }
  if (extension == ".npy") {
    io::write_plane_npy(path, file.set, input.grid());
    return {written_file("array", path), written_file("description", path + ".json")};
  }
  const PlaneSheet sheet{std::move(file.title), std::move(file.captions),
                         std::move(file.set.planes), file.set.quantity, file.set.unit};
  write_plane_picture(path, sheet, input.grid(), input.file.metadata, options.flipped);
  return {written_file("picture", path)};
}

double peak_of(const io::PlaneSet& set) {
  double peak = -std::numeric_limits<double>::infinity();
  for (const Projection& plane : set.planes)
    peak = std::max(peak, *std::ranges::max_element(plane.values));
  return peak;
}

void add_planes(Report& report, const io::PlaneSet& set, const std::vector<WrittenFile>& written) {
  const Projection& first = set.planes.front();
  report.line("planes", fmt::format("{} across {}, of {} x {} cells", set.planes.size(),
                                    kAxisNames[static_cast<std::size_t>(set.axis)], first.width,
                                    first.height));
  report.line("values",
              fmt::format("{} {}, up to {}", set.quantity, set.unit, format_value(peak_of(set))));
  add_written(report, written);
}

nlohmann::ordered_json planes_json(std::string_view kind, const VolumeInput& input,
                                   const io::PlaneSet& set,
                                   const std::vector<WrittenFile>& written) {
  nlohmann::ordered_json json = json_document(kind);
  json["inputs"] = {input.path};
  json["grid"] = grid_json(input.grid(), input.file.volume.precision());
  json["units"] = text_or_null(input.units());
  json["axis"] = std::string(1, kAxisNames[static_cast<std::size_t>(set.axis)]);
  json["quantity"] = set.quantity;
  json["unit"] = set.unit;
  json["peak"] = peak_of(set);
  json["written"] = written_json(written);
  return json;
}

}  // namespace skde::cli
