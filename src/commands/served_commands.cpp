#include "commands/served_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "commands/commands.hpp"
#include "io/points/splats/splat_formats.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {
namespace {

constexpr const char* kCloudHelp = "ID of a cloud, from POST /clouds";

std::string media_type_of(std::string_view extension) {
  if (extension == ".npy") return "application/vnd.numpy.npy";
  if (extension == ".csv") return "text/csv";
  if (extension == ".png") return "image/png";
  if (extension == ".ply") return "model/ply";
  if (extension == ".obj") return "model/obj";
  if (extension == ".stl") return "model/stl";
  if (extension == ".json") return "application/json";
  return "application/octet-stream";
}

std::vector<ResultFormat> volume_result_formats() {
  std::vector<ResultFormat> formats;
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    const std::string extension(format.extension.substr(0, format.extension.find(' ')));
    formats.push_back({std::string(format.name), extension, std::string(format.media_type)});
  }
  const auto first = std::ranges::find(formats, "nrrd", &ResultFormat::name);
  if (first != formats.end()) std::rotate(formats.begin(), first, first + 1);
  return formats;
}

/// Adds the formats of Gaussian splats that this build writes.
std::vector<ResultFormat> with_splats(std::vector<ResultFormat> formats) {
  for (const io::SplatFormat& format : io::splat_formats())
    if (format.write != nullptr &&
        std::ranges::find(formats, format.name, &ResultFormat::name) == formats.end()) {
      const std::string extension(format.extensions);
      formats.push_back({std::string(format.name), extension, media_type_of(extension)});
    }
  return formats;
}

/// Formats for several volumes in a file, for a grid, or for points.
std::vector<ResultFormat> smoothing_formats() {
  std::vector<ResultFormat> formats = volume_result_formats();
  std::erase_if(formats, [](const ResultFormat& format) {
    return format.name != "vti" && format.name != "netcdf";
  });
  for (ResultFormat& format : formats_named({"csv", "npy", "ply", "xyz"}))
    formats.push_back(std::move(format));
  return formats;
}

ResourceInput clouds_input() {
  return {"cloud", ResourceKind::cloud,
          true,    true,
          "",      std::string(kCloudHelp) + "; several, separated by commas, form one cloud"};
}
ResourceInput points_input(const char* otherwise, std::string format = {}) {
  return {"points",
          ResourceKind::cloud,
          false,
          false,
          "at",
          std::string("ID of a cloud at whose points to evaluate; ") + otherwise,
          std::move(format)};
}
ResourceInput like_input() {
  return {"like", ResourceKind::volume,
          false,  false,
          "like", "ID of a job of density, or of an uploaded volume, whose grid to use"};
}
ResourceInput volume_input(std::string name = "volume") {
  return {std::move(name),
          ResourceKind::volume,
          true,
          false,
          "",
          "ID of a successful job of density, or of a volume uploaded to /clouds; of several "
          "volumes in a file, ID:NAME"};
}
FileOutput description_output(const char* title) {
  return {"description", title, "", ".npy.json", "application/json"};
}
FileOutput optional_output(const char* name, const char* title, const char* flag,
                           const char* suffix, const char* media_type) {
  return {name, title, flag, suffix, media_type, true};
}

/// Adds the commands that read clouds.
void add_estimates(std::vector<ServedCommand>& all) {
  all.push_back({.title = "density of a cloud of samples, as a volume",
                 .command = kDensity,
                 .resources = {clouds_input(), like_input()},
                 .formats = volume_result_formats(),
                 .files = {{"volume", "the density on its grid", "output"},
                           description_output("grid and facts, beside a volume as NPY"),
                           optional_output("picture", "three maximum projections", "picture",
                                           ".png", "image/png")},
                 .costly_input = "dims"});
  all.push_back({.title = "density at points, as a column of their file",
                 .command = kEval,
                 .resources = {clouds_input(), points_input("the cloud's own points")},
                 .formats = formats_named({"csv", "npy", "ply", "xyz"}),
                 .files = {{"points", "the points with the density", "output"}},
                 .costly_input = "points"});
  all.push_back(
      {.title =
           "kernel regression (Nadaraya-Watson): means of a cloud's columns on a grid or at points",
       .command = kSmooth,
       .resources = {clouds_input(), points_input("on a grid", "csv"), like_input()},
       .formats = smoothing_formats(),
       .files = {{"means", "the means on their grid, or at the points", "output"}},
       .costly_input = "dims"});
  all.push_back({.title = "mixture of ellipsoids, fitted to the density of a cloud or to a volume",
                 .command = kFit,
                 .resources = {clouds_input(), like_input()},
                 .formats = with_splats(formats_named({"ply", "npy", "csv"})),
                 .files = {{"mixture", "the ellipsoids", "output"},
                           description_output("what the fit states, beside a mixture as NPY"),
                           optional_output("picture", "given, fitted and difference", "picture",
                                           ".png", "image/png")},
                 .costly_input = "members"});
  all.push_back({.title = "bandwidth by a rule or chosen from the samples, with the scores",
                 .command = kBandwidth,
                 .resources = {clouds_input()},
                 .files = {optional_output("curve", "the scores by h, as a table", "curve", ".csv",
                                           "text/csv"),
                           optional_output("picture", "the scores as a PNG picture", "picture",
                                           ".png", "image/png"),
                           optional_output("drawing", "the scores as an SVG picture", "picture",
                                           ".svg", "image/svg+xml")},
                 .costly_input = "subsample"});
  all.push_back({.title = "modes of the density of a cloud: where, how high, how sure",
                 .command = kPeaks,
                 .resources = {clouds_input(), like_input()},
                 .formats = formats_named({"csv", "npy", "ply", "xyz"}),
                 .files = {{"peaks", "the peaks, with a column for each number", "output"},
                           optional_output("samples", "the samples, with a column `peak`",
                                           "samples", ".csv", "text/csv")},
                 .rate = 7e5});
  all.push_back(
      {.title = "connected regions above a level, and which point is in which",
       .command = kClusters,
       .resources = {clouds_input(), points_input("the cloud's own points"), like_input()},
       .formats = formats_named({"csv", "npy", "ply", "xyz"}),
       .files = {{"points", "the points, with a column `cluster`", "output"}},
       .rate = 7e5});
  all.push_back({.title = "how much of the density of a cloud lies in boxes and other regions",
                 .command = kMass,
                 .resources = {clouds_input(),
                               {"region", ResourceKind::volume, false, false, "region",
                                "ID of a job of density, or of an uploaded volume, whose region of "
                                "highest density to take"}},
                 .rate = 7e5});
  all.push_back({.title = "samples drawn from the density estimate of a cloud",
                 .command = kSample,
                 .resources = {clouds_input()},
                 .formats = formats_named({"csv", "npy", "ply", "xyz"}),
                 .files = {{"samples", "the samples", "output"}},
                 .costly_input = "samples"});
  all.push_back({.title = "rows of a cloud on a grid whose neighbours have similar values",
                 .command = kOrganise,
                 .resources = {{"cloud", ResourceKind::cloud, true, false, "", kCloudHelp}},
                 .formats = formats_named({"npy", "csv", "ply", "xyz"}),
                 .files = {{"points", "the rows in their order on the grid", "output"},
                           description_output("the grid, beside rows as NPY")},
                 .rate = 7e5});
  all.push_back({.title = "the rows of a cloud in the order of a curve or of a column",
                 .command = kSort,
                 .resources = {clouds_input()},
                 .formats = formats_named({"npy", "ply", "las", "csv", "xyz"}),
                 .files = {{"cloud", "the rows in order", "output"},
                           description_output("the index of the rows, beside NPY")}});
  all.push_back({.title = "description of a cloud or a volume file",
                 .command = kInfo,
                 .resources = {clouds_input()}});
}

/// Adds the commands for clouds that are summed in parts.
void add_parts(std::vector<ServedCommand>& all) {
  all.push_back({.title = "count, weight and exact moments of a cloud",
                 .command = kMoments,
                 .resources = {clouds_input()}});
  std::vector<ResultFormat> merged = volume_result_formats();
  for (ResultFormat& format : formats_named({"skp", "json"})) merged.push_back(std::move(format));
  all.push_back({.title = "density from partial sums, or moments from moments of parts",
                 .command = kMerge,
                 .resources = {{"parts", ResourceKind::cloud, true, true, "",
                                "IDs of files of partial sums, or of moments, uploaded to /clouds, "
                                "separated by commas"}},
                 .formats = std::move(merged),
                 .files = {{"merged", "the density on its grid, sums or moments", "output"},
                           description_output("grid and facts, beside a volume as NPY")}});
}

void add_generate(std::vector<ServedCommand>& all) {
  all.push_back({.title = "seeded synthetic cloud, for trials",
                 .command = kGenerate,
                 .argument = "kind",
                 .formats = formats_named({"npy", "csv", "ply", "xyz"}),
                 .files = {{"cloud", "the samples", "output"}},
                 .costly_input = "samples"});
}

/// Adds the commands that list what is available where the service runs.
void add_lists(std::vector<ServedCommand>& all) {
  all.push_back(
      {.title = "engines, and their predicted cost for a cloud",
       .command = kEngines,
       .resources = {{"cloud", ResourceKind::cloud, false, false, "for",
                      std::string(kCloudHelp) + "; without one, only the list of engines"}}});
  all.push_back({.title = "formats of points, volumes, meshes and pictures", .command = kFormats});
}

/// Adds the commands that read volumes.
void add_volume_commands(std::vector<ServedCommand>& all) {
  all.push_back({.title = "density levels of the regions of highest density that hold a mass",
                 .command = kLevels,
                 .resources = {volume_input()}});
  all.push_back({.title = "surface of a density at a level, or around a mass, as a mesh",
                 .command = kIso,
                 .resources = {volume_input()},
                 .formats = formats_named({"ply", "obj", "stl", "vtp"}),
                 .files = {{"mesh", "the surface", "output"}}});
  all.push_back({.title = "planes of a volume, as a picture, an array or a table",
                 .command = kSlice,
                 .resources = {volume_input()},
                 .formats = formats_named({"png", "npy", "csv"}),
                 .files = {{"planes", "the planes", "output"},
                           description_output("axes and facts, beside planes as NPY")}});
  all.push_back(
      {.title = "integrals or maxima of a volume along an axis, as a picture, an array or a table",
       .command = kProject,
       .resources = {volume_input()},
       .formats = formats_named({"png", "npy", "csv"}),
       .files = {{"planes", "the projection", "output"},
                 description_output("axes and facts, beside planes as NPY")}});
  all.push_back({.title = "differences between two density volumes, and their ratio",
                 .command = kCompare,
                 .resources = {volume_input(), volume_input("other")},
                 .formats = volume_result_formats(),
                 .files = {{"ratio", "their ratio", "output", "", "", true}}});
  all.push_back({.title = "file of a volume, or of Gaussian splats, in another format",
                 .command = kConvert,
                 .resources = {volume_input()},
                 .formats = with_splats(volume_result_formats()),
                 .files = {{"volume", "the same volume, or the splats", "output"},
                           description_output("grid and facts, beside a volume as NPY")}});
}

std::vector<ServedCommand> make_commands() {
  std::vector<ServedCommand> all;
  add_estimates(all);
  add_volume_commands(all);
  add_parts(all);
  add_generate(all);
  add_lists(all);
  for (ServedCommand& command : all) {
    command.id = command.command.name;
    command.flags = input_flags(command.command);
    if (!command.resources.empty() && command.resources[0].kind == ResourceKind::volume)
      command.rate = 1e8;
    if (command.argument.empty()) continue;
    const TableDescription table = command.command.describe();
    command.flags.push_back({.name = command.argument,
                             .value = fmt::format("{}", fmt::join(table.argument_words, "|")),
                             .help = table.summary,
                             .type = {.words = table.argument_words, .only_words = true}});
  }
  return all;
}

}  // namespace

std::span<const ServedCommand> served_commands() {
  static const std::vector<ServedCommand> all = make_commands();
  return all;
}

std::vector<FieldText> input_flags(const Command& command) {
  std::vector<FieldText> flags;
  for (const FlagGroup& group : command.describe().groups)
    for (const FieldText& flag : group.flags) {
      const bool only_a_file = flag.names_file && flag.type.words.empty();
      if (!flag.local && !only_a_file) flags.push_back(flag);
    }
  return flags;
}

std::vector<ResultFormat> formats_named(std::initializer_list<std::string_view> names) {
  std::vector<ResultFormat> formats;
  for (const std::string_view name : names) {
    const std::string extension = '.' + std::string(name);
    formats.push_back({std::string(name), extension, media_type_of(extension)});
  }
  return formats;
}

}  // namespace skde::cli
