#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/json_document.hpp"
#include "cli/option_table.hpp"
#include "cli/report.hpp"
#include "cli/standard_output.hpp"
#include "io/points/point_formats.hpp"
#include "io/volumes/volume_formats.hpp"
#include "skde/commands.hpp"

namespace skde::cli {
namespace {

std::string page() {
  std::vector<std::vector<std::string>> points, volumes;
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
  std::string text = "Point clouds, read (recognised by their first bytes, then by extension)\n";
  for (const std::string& line : aligned_rows(points, {})) text += line + '\n';
  text += "\nVolumes, written and read (chosen by extension, or by --format NAME)\n";
  for (const std::string& line : aligned_rows(volumes, {})) text += line + '\n';
  return text;
}

nlohmann::ordered_json as_json() {
  auto points = nlohmann::ordered_json::array(), volumes = points;
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
  nlohmann::ordered_json json = json_document("formats");
  json["points"] = std::move(points);
  json["volumes"] = std::move(volumes);
  return json;
}

}  // namespace

void run_formats(const Invocation& invocation) {
  bool json = false;
  OptionTable table("skde formats", "[--json]",
                    "Lists the point formats that skde reads and the volume formats that it "
                    "writes and reads.");
  table.flag({.name = "json", .help = "one JSON object instead"}, json);
  const ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) return print(table.help());
  flags.require_no_positionals(table.command());
  json ? print_json(as_json()) : print(page());
}

}  // namespace skde::cli
