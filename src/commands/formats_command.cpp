#include <fmt/core.h>

#include <span>
#include <vector>

#include "cli/options/option_table.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "commands/commands.hpp"
#include "commands/output/summary_documents.hpp"
#include "io/meshes/mesh_formats.hpp"
#include "io/points/formats/point_formats.hpp"
#include "io/points/mixture_file.hpp"
#include "io/points/point_writer.hpp"
#include "io/points/splats/splat_formats.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {
namespace {

constexpr std::string_view kPlanes = ".csv, .npy", kPictures = ".png, .svg, .pdf";
constexpr bool kHasPictures = SKDE_HAS_PICTURES != 0;

struct PictureFormat {
  std::string_view extension;
};

std::string formats_page() {
  std::vector<std::vector<std::string>> points, volumes, meshes;
  for (const io::PointFormat& format : io::point_formats())
    points.push_back({"  " + std::string(format.name), std::string(format.extensions),
                      format.unavailable.empty()
                          ? std::string(format.summary)
                          : fmt::format("not in this build: {}", format.unavailable)});
  for (const io::VolumeFormat& format : io::volume_formats())
    volumes.push_back({"  " + std::string(format.name), std::string(format.extension),
                       format.unavailable.empty()
                           ? std::string(format.summary)
                           : fmt::format("not in this build: {}", format.unavailable)});
  for (const io::MeshFormat& format : io::mesh_formats())
    meshes.push_back({"  " + std::string(format.extension), std::string(format.summary)});
  std::string text = "Point clouds, read (recognised by their first bytes, then by extension)\n";
  for (const std::string& line : aligned_rows(points, {})) text += line + '\n';
  text += "\nVolumes, written and read (chosen by extension, or with --format NAME)\n";
  for (const std::string& line : aligned_rows(volumes, {})) text += line + '\n';
  text += "\nMeshes, written by skde iso (chosen by extension)\n";
  for (const std::string& line : aligned_rows(meshes, {})) text += line + '\n';
  text +=
      "\nPoints, written by eval, smooth, sample and generate: " + io::point_writer_extensions();
  text += "\nGaussian splats, written by convert and fit: " + io::splat_extensions();
  text += "\nMixtures, read as point clouds are: " + io::mixture_extensions();
  text += fmt::format("\nPlanes, written by slice and project: {}, and as pictures: {}\n", kPlanes,
                      kHasPictures ? kPictures : "not in this build");
  return text;
}

/// The result of `skde formats`.
struct FormatLists {
  std::span<const io::PointFormat> points = io::point_formats();
  std::span<const io::VolumeFormat> volumes = io::volume_formats();
  std::span<const io::MeshFormat> meshes = io::mesh_formats();
  std::array<PictureFormat, 3> pictures{{{".png"}, {".svg"}, {".pdf"}}};
};

}  // namespace

void add_fields(Fields<io::PointFormat>& add) {
  add("name", &io::PointFormat::name);
  add("extensions", &io::PointFormat::extensions);
  add("summary", &io::PointFormat::summary);
  add("available", [](auto& format) { return format.unavailable.empty(); });
}

void add_fields(Fields<io::VolumeFormat>& add) {
  add("name", &io::VolumeFormat::name);
  add("extension", &io::VolumeFormat::extension);
  add("summary", &io::VolumeFormat::summary);
  add("available", [](auto& format) { return format.unavailable.empty(); });
  add("reason", [](auto& format) { return LeftOut{known(format.unavailable)}; });
}

void add_fields(Fields<io::MeshFormat>& add) {
  add("extension", &io::MeshFormat::extension);
  add("summary", &io::MeshFormat::summary);
}

void add_fields(Fields<PictureFormat>& add) {
  add("extension", &PictureFormat::extension);
  add("available", [](auto&) { return kHasPictures; });
}

void add_fields(Fields<FormatLists>& add) {
  add.name("formats", "skde formats --json");
  add("points", &FormatLists::points);
  add("volumes", &FormatLists::volumes);
  add("meshes", &FormatLists::meshes);
  add("pictures", &FormatLists::pictures);
}

namespace {

OptionTable formats_table(bool& json) {
  OptionTable table("skde formats", "[--json]",
                    "Lists the point formats that skde reads, the volume formats that it writes "
                    "and reads, and the mesh and picture formats that it writes.");
  table.flag({.name = "json", .help = "prints one JSON object instead", .local = true}, json);
  return table;
}

CommandResult run_formats(bool& json, const ParsedFlags& flags, const Invocation&) {
  flags.require_no_positionals();
  return {{json}, document_json(FormatLists()), formats_page()};
}

}  // namespace

const Command kFormats =
    command<formats_table, run_formats>("formats", "lists the files that skde reads and writes");

const AnyTable& formats_document() { return result_table<FormatLists>(); }

}  // namespace skde::cli
