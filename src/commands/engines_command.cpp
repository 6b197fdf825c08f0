#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cli/cancellation.hpp"
#include "cli/command_session.hpp"
#include "cli/options/density_options.hpp"
#include "cli/options/option_table.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/commands.hpp"
#include "commands/output/plan_report.hpp"
#include "commands/output/summary_documents.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/session.hpp"
#include "estimate/values/memory_plan.hpp"

namespace skde::cli {
namespace {

struct EnginesSettings {
  DensityOptions density;
  std::string cloud;
  bool json = false, quiet = false;
};

OptionTable engines_table(EnginesSettings& settings) {
  OptionTable table(
      "skde engines", "[--for CLOUD... [FLAGS]]",
      "Lists the engines (the methods that compute a density), with their device, errors, and the "
      "reason if one cannot run here. With --for: the predicted cost of each for a cloud and flags "
      "of skde density, and the reason if one cannot compute it.");
  table.group("Output");
  table.value({.name = "for",
               .value = "CLOUD",
               .help = "predicts costs for this cloud; further files are part of it",
               .local = true},
              settings.cloud);
  table.flag({.name = "json", .help = "prints one JSON object instead", .local = true},
             settings.json);
  table.flag({.name = "quiet", .help = "no progress bar", .local = true}, settings.quiet);
  add_density_fields(table, settings.density, target::kGrid);
  table.most_used({"for", "json", "columns", "weights", "kernel", "bandwidth", "bounds", "dims",
                   "engine", "precision"});
  table.example("skde engines --for points.ply --bandwidth 0.5 --dims 256",
                "predicted seconds and memory for a density of these points, and refusals");
  return table;
}

constexpr std::array<std::string_view, 2> kDevices{"cpu", "cuda"};

std::string_view device_name(Device device) { return device == Device::cuda ? "GPU" : "CPU"; }

std::string printed_share(double error) { return error > 0 ? fmt::format("{:.0e}", error) : "-"; }

std::string engines_page() {
  std::vector<std::vector<std::string>> rows{
      {"engine", "on", "error f32", "error f64", "reproducible", "description"}};
  std::string unavailable;
  for (const EngineEntry& entry : engine_table()) {
    const EngineTraits& traits = entry.traits;
    rows.push_back({std::string(traits.name), std::string(device_name(traits.device)),
                    printed_share(traits.error_f32), printed_share(traits.error_f64),
                    traits.deterministic ? "exactly" : "nearly", std::string(traits.summary)});
    if (const std::string reason = entry.unavailable(); !reason.empty())
      unavailable += fmt::format("- {} cannot run here: {}\n", traits.name, reason);
  }
  std::string text;
  for (const std::string& line : aligned_rows(rows, {})) text += line + '\n';
  return text + '\n' + unavailable +
         "Errors are the largest of a cell as a share of the peak; - means not supported. "
         "'reproducible' states whether\na second run gives the same bits; if nearly, sums are "
         "atomic "
         "additions, whose errors grow where\nmore than a thousand kernels cover a cell. Without "
         "--engine, the fastest one for the case is used:\n'skde engines --for CLOUD' predicts the "
         "cost of each.\n";
}

std::string_view device_word(const EngineEntry& entry) {
  return kDevices[entry.traits.device == Device::cuda ? 1 : 0];
}

/// The result of `skde engines`.
struct EngineList {
  std::span<const EngineEntry> engines = engine_table();
};

}  // namespace

void add_fields(Fields<EngineEntry>& add) {
  add.name("engine");
  add("name", [](auto& entry) { return entry.traits.name; });
  add("summary", [](auto& entry) { return entry.traits.summary; });
  add("device", [](auto& entry) { return OneAmong<kDevices>{device_word(entry)}; });
  add("repeats", "the same bits on every run",
      [](auto& entry) { return entry.traits.deterministic; });
  add("error_f32", [](auto& entry) { return entry.traits.error_f32; });
  add("available", [](auto& entry) { return entry.unavailable().empty(); });
  add("error_f64", [](auto& entry) { return LeftOut{positive(entry.traits.error_f64)}; });
  add("reason", [](auto& entry) { return LeftOut{known(entry.unavailable())}; });
}

void add_fields(Fields<EngineList>& add) {
  add.name("engines", "skde engines --json");
  add("engines", &EngineList::engines);
}

const AnyTable& engines_document() { return result_table<EngineList>(); }

namespace {

CommandResult show_offers(const EnginesSettings& settings, SessionKeeper* sessions) {
  const CancelAtOnce nothing_to_clean_up;
  TerminalProgress progress(!settings.quiet);
  SessionOptions options;
  options.memory_limit = settings.density.memory_limit;
  CommandSession session(sessions, settings.density.files, std::move(options), false, progress);
  DensityRequest request = settings.density.request;
  request.engine.clear();  // asks all engines, whichever is named
  const DensityPlan plan =
      session->plan(request, progress, {.use = VolumeUse::streamed, .asks_gpus = true});
  progress.clear();
  return show_result({settings.json}, OffersShown{{plan, settings.density.files.paths}});
}

CommandResult run_engines(EnginesSettings& settings, const ParsedFlags& flags,
                          const Invocation& invocation) {
  if (settings.cloud.empty()) {
    flags.require_no_positionals();
    flags.require_only({"json", "quiet"}, "has no effect without --for CLOUD");
    return {{settings.json}, document_json(EngineList()), engines_page()};
  }
  settings.density.files.paths = flags.positionals;
  settings.density.files.paths.insert(settings.density.files.paths.begin(), settings.cloud);
  require_inputs(flags.positionals);
  assume_widths(flags, settings.density.files, settings.density.request);
  complete_density_options(flags, settings.density);
  return show_offers(settings, invocation.sessions);
}

}  // namespace

const Command kEngines = command<engines_table, run_engines>(
    "engines", "lists the engines, and which of them can run here");

}  // namespace skde::cli
