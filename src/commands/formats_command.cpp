#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cli/json_document.hpp"
#include "cli/options/option_table.hpp"
#include "cli/report.hpp"
#include "cli/standard_output.hpp"
#include "commands/commands.hpp"
#include "commands/served_commands.hpp"
#include "io/meshes/mesh_formats.hpp"
#include "io/points/point_formats.hpp"
#include "io/points/point_writer.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {
namespace {

constexpr std::string_view kPlanes = ".csv, .npy, .png", kPicture = ".png";
constexpr bool kHasPictures = SKDE_HAS_PICTURES != 0;

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
  text += "\nVolumes, written and read (chosen by extension, or by --format NAME)\n";
  for (const std::string& line : aligned_rows(volumes, {})) text += line + '\n';
  text += "\nMeshes, written by skde iso (chosen by extension)\n";
  for (const std::string& line : aligned_rows(meshes, {})) text += line + '\n';
  text +=
      "\nPoints, written by eval, smooth, sample and generate: " + io::point_writer_extensions();
  text += fmt::format("\nPlanes, written by slice and project: {}; pictures: {}\n", kPlanes,
                      kHasPictures ? kPicture : "not in this build");
  return text;
}

nlohmann::ordered_json formats_json() {
  auto points = nlohmann::ordered_json::array(), volumes = points, meshes = points;
  for (const io::PointFormat& format : io::point_formats())
    points.push_back({{"name", format.name},
                      {"extensions", format.extensions},
                      {"summary", format.summary},
                      {"available", format.unavailable.empty()}});
  for (const io::VolumeFormat& format : io::volume_formats()) {
    volumes.push_back({{"name", format.name},
                       {"extension", format.extension},
                       {"summary", format.summary},
                       {"available", format.unavailable.empty()}});
    if (!format.unavailable.empty()) volumes.back()["reason"] = format.unavailable;
  }
  for (const io::MeshFormat& format : io::mesh_formats())
    meshes.push_back({{"extension", format.extension}, {"summary", format.summary}});
  nlohmann::ordered_json json = json_document("formats");
  json["points"] = std::move(points);
  json["volumes"] = std::move(volumes);
  json["meshes"] = std::move(meshes);
  json["pictures"] = {{{"extension", kPicture}, {"available", kHasPictures}}};
  return json;
}

}  // namespace

CommandResult run_formats(const Invocation& invocation) {
  bool json = false;
  OptionTable table("skde formats", "[--json]",
                    "Lists the point formats that skde reads, the volume formats that it "
                    "writes and reads, and the meshes and pictures that it writes.");
  table.flag({.name = "json", .help = "one JSON object instead", .local = true}, json);
  add_server_flag(table);
  const ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) return help_page(table, flags);
  flags.require_no_positionals(table.command());
  return {{json}, formats_json(), formats_page()};
}

}  // namespace skde::cli
