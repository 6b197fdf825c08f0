#include <fmt/format.h>

#include <limits>

#include <nlohmann/json.hpp>

#include "cli/option_table.hpp"
#include "cli/report.hpp"
#include "cli/standard_output.hpp"
#include "engines/engine_choice.hpp"
#include "engines/registry.hpp"
#include "skde/commands.hpp"

namespace skde::cli {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// A case that every engine serves.
const Workload kAnyWork{1,
                        false,
                        KernelFunction::epanechnikov,
                        make_ellipsoid(Symmetric3::diagonal(9, 9, 9), {{}, {1, 1, 1}, {9, 9, 9}}),
                        {{}, {1, 1, 1}, {9, 9, 9}}};

std::string_view device_name(Device device) { return device == Device::cuda ? "GPU" : "CPU"; }

std::string error_text(double error) { return error > 0 ? fmt::format("{:.0e}", error) : "-"; }

std::string page() {
  std::vector<std::vector<std::string>> rows{
      {"", "engine", "on", "error f32", "error f64", "repeats", "what it is"}};
  std::string unavailable;
  for (const EngineEntry& entry : engine_table()) {
    const EngineTraits& traits = entry.traits;
    const std::string reason = entry.unavailable();
    const bool automatic = predicted_seconds(traits.name, kAnyWork, {}) < kNever;
    rows.push_back({!reason.empty() ? "-"
                    : automatic     ? "*"
                                    : "",
                    std::string(traits.name), std::string(device_name(traits.device)),
                    error_text(traits.error_f32), error_text(traits.error_f64),
                    traits.deterministic ? "exactly" : "nearly", std::string(traits.summary)});
    if (!reason.empty())
      unavailable += fmt::format("- {} cannot run here: {}\n", traits.name, reason);
  }
  std::string text;
  for (const std::string& line : aligned_rows(rows, {})) text += line + '\n';
  return text +
         "\n* is chosen among where --engine is not given, by the time that the case will take\n" +
         unavailable +
         "Errors are the largest of a cell as a share of the peak, - where not offered. Repeats "
         "says\nwhether a second run gives the same bits; where it does only nearly, sums are "
         "atomic additions,\nwhose errors grow where more than a thousand kernels cover a cell.\n";
}

nlohmann::ordered_json as_json() {
  auto engines = nlohmann::ordered_json::array();
  for (const EngineEntry& entry : engine_table()) {
    const EngineTraits& traits = entry.traits;
    const std::string reason = entry.unavailable();
    nlohmann::ordered_json row{
        {"name", traits.name},
        {"summary", traits.summary},
        {"device", traits.device == Device::cuda ? "cuda" : "cpu"},
        {"deterministic", traits.deterministic},
        {"error_f32", traits.error_f32},
        {"available", reason.empty()},
        {"automatic", predicted_seconds(traits.name, kAnyWork, {}) < kNever}};
    if (traits.error_f64 > 0) row["error_f64"] = traits.error_f64;
    if (!reason.empty()) row["reason"] = reason;
    engines.push_back(std::move(row));
  }
  return engines;
}

}  // namespace

void run_engines(const Invocation& invocation) {
  bool json = false;
  OptionTable table("skde engines", "[--json]",
                    "Lists the engines: the ways to compute a density, on which device they run, "
                    "how exact they are, and why one cannot run here.");
  table.flag({.name = "json", .help = "one JSON array instead"}, json);
  const ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) return print(table.help());
  flags.require_no_positionals(table.command());
  print(json ? as_json().dump(2) + "\n" : page());
}

}  // namespace skde::cli
