#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_commands.hpp"
#include "bench/fit/fit_quality.hpp"
#include "bench/fit/fit_speed.hpp"
#include "bench/fit/fit_tables.hpp"
#include "bench/measure/recorder.hpp"
#include "cli/options/density_options.hpp"
#include "cli/output_path.hpp"
#include "core/report/error.hpp"
#include "io/text_file.hpp"

namespace skde::bench {
namespace {

struct FitSettings {
  FitQualitySettings quality{};
  StepCase step{};
  std::vector<FitCloud> clouds{};
  std::vector<std::string> parts{"quality", "speed"};
  std::int64_t steps = 0;   ///< 0: as many as a fit takes
  std::string table, with;  ///< paths of files

  bool measures(std::string_view part) const { return std::ranges::count(parts, part) > 0; }
};

std::vector<std::string> all_methods() {
  std::vector<std::string> names;
  for (const auto& [name, what] : kFitMethods) names.emplace_back(name);
  return names;
}

void add_case_flags(cli::OptionTable& table, FitSettings& s) {
  FitCaseSettings& density = s.quality.density;
  table.group("Cases");
  table.value({"measure", "PART,...", "quality: errors of fits; speed: times of steps", "all"},
              s.parts, list_of(NameAmong({"quality", "speed"}, "part")));
  table.value({"cloud", "NAME,...",
               "densities: five-gaussians, forest, quakes, filament, or noise (a volume)", "all"},
              s.clouds, list_of(OneOf<FitCloud>(kFitClouds)));
  std::string methods;
  for (const auto& [name, what] : kFitMethods)
    methods += fmt::format("{}{} ({})", methods.empty() ? "" : ", ", name, what);
  table.value({"methods", "NAME,...", methods, "all"}, s.quality.methods,
              list_of(NameAmong(all_methods(), "method")));
  table.value({"members", "K,...", "numbers of members", "64,256,1024,4096,16384,65536"},
              s.quality.members, list_of(WholeNumber(1, 1'000'000)));
  table.value({"samples", "N", "samples of a generated cloud", "1e5; forest 2e5"}, density.samples,
              WholeNumber(10, 100'000'000));
  table.value({"cells", "M", "cells along the longest side",
               "96; forest of 0.7 m, filament of 0.1, noise 64"},
              density.cells, WholeNumber<std::int64_t>(4, 1024));
  table.value({"quakes", "FILE", "the earthquakes", density.quakes}, density.quakes);
  table.value({"seed", "S", "seed of samples and fits", "1"}, density.seed, WholeNumber(0));
  table.value({"step-members", "K", "members of a step whose time is measured", "40960"},
              s.step.members, WholeNumber<std::size_t>(1, 10'000'000));
  table.value({"step-cells", "M", "cells along each side of such a step", "256"}, s.step.cells,
              WholeNumber<std::int64_t>(8, 1024));
}

void add_measurement_flags(cli::OptionTable& table, FitSettings& s) {
  FitQualitySettings& quality = s.quality;
  table.group("Measurement");
  table.value({"steps", "N", "steps of a fit", "2000; 500 for speed"}, s.steps,
              WholeNumber<std::int64_t>(1, 1'000'000));
  table.value(
      {"on", "cpu|cuda", "where fits and steps run",
       "fits where they take less time, steps on both"},
      quality.on, [](const std::string& given) {
        return std::optional(OneOf<Device>{{"cpu", Device::cpu}, {"cuda", Device::cuda}}(given));
      });
  table.value({"repetitions", "R", "measured steps, after one that is discarded", "10"},
              s.step.repetitions, WholeNumber<int>(1, 1000));
  table.value({"threads", "N", "CPU threads", "one per core"}, quality.density.options.threads,
              WholeNumber<int>(1, 4096));
  cli::add_device_flag(table, quality.density.options);
  table.value({"peer-seconds", "S", "time limit of a fit by scikit-learn", "600"},
              quality.peer_seconds, RealNumber(0));
  table.value({"python", "PATH", "Python interpreter for scikit-learn",
               "python3 or /usr/bin/python3, the first one that has it"},
              quality.python);
}

/// Adds the rows of an earlier run that this one does not measure again.
void keep_rows(Recorder& recorder, const FitSettings& s) {
  for (Result& row : read_results(s.with).results) {
    const bool method = std::ranges::count(s.quality.methods, row.method) > 0;
    const bool cloud = std::ranges::any_of(
        s.clouds, [&](FitCloud one) { return word_of(kFitClouds, one) == row.cloud; });
    const bool members =
        row.members &&
        std::ranges::count(s.quality.members, static_cast<std::uint64_t>(*row.members)) > 0;
    const bool device = !s.quality.on || (*s.quality.on == Device::cuda) == (row.device == "cuda");
    const bool again = row.experiment == "fit" ? s.measures("quality") && method && cloud && members
                                               : s.measures("speed") && device;
    if (!again) recorder.add(std::move(row));
  }
}

/// Steps by device, and 500 steps of 512 members on 64^3 cells on the CPU.
void measure_speed(Recorder& recorder, const FitSettings& s) {
  const FitQualitySettings& quality = s.quality;
  for (const Device device : {Device::cpu, Device::cuda}) {
    if (quality.on && *quality.on != device) continue;
    recorder.announce(fmt::format("fit: steps of {} members", s.step.members));
    recorder.add(measure_step(s.step, device, quality.density.options, recorder.progress()));
  }
  if (quality.on == Device::cuda) return;
  constexpr std::size_t kMembers = 512;
  constexpr std::int64_t kCells = 64, kSteps = 500;
  FitCaseSettings density = quality.density;
  density.cells = kCells;
  recorder.announce("fit: steps on the CPU");
  const FitCase of = make_fit_case(FitCloud::five_gaussians, density, recorder.progress());
  Result row = blank_fit_row("fit", of, kMembers);
  row.experiment = "fit-speed";
  FitSpec spec;
  spec.members = kMembers;
  spec.steps = quality.steps.value_or(kSteps);
  spec.device = Device::cpu;
  spec.options = density.options;
  measure_fit(row, of, spec, recorder.progress());
  recorder.add(std::move(row));
}

void measure(Recorder& recorder, const FitSettings& s) {
  if (!s.with.empty()) keep_rows(recorder, s);
  if (s.measures("quality"))
    for (const FitCloud cloud : s.clouds) measure_quality(recorder, cloud, s.quality);
  if (s.measures("speed")) measure_speed(recorder, s);
  const std::string tables = fit_tables(recorder.results());
  if (!s.table.empty()) io::write_text(s.table, tables);
}

}  // namespace

void run_fit(const cli::Invocation& invocation) {
  FitSettings settings;
  for (const auto& [name, cloud] : kFitClouds) settings.clouds.push_back(cloud);
  settings.quality.methods = all_methods();
  ResultOptions output;
  cli::OptionTable table("skde-bench fit", "[FLAGS]",
                         "Measures how well K ellipsoids stand for a density, beside other ways of "
                         "as many members or bytes, and how long steps of a fit take. Errors are "
                         "those of all cells; 'report' plots them against K and bytes.");
  add_case_flags(table, settings);
  add_measurement_flags(table, settings);
  output.add_flags(table);
  table.value({"table", "FILE", "tables of the results as Markdown"}, settings.table);
  table.value({"with", "RESULTS.json", "adds the rows of an earlier run that are not measured now"},
              settings.with);
  table.most_used(
      {"measure", "cloud", "members", "methods", "on", "steps", "json", "table", "output"});
  table.example("skde-bench fit --cloud forest --members 1024,4096 -o forest/", "one density");
  table.example("skde-bench fit --measure speed --on cuda", "a step of 40,960 members on a GPU");
  if (!output.parse(table, invocation)) return;
  if (!settings.table.empty()) cli::require_writable(settings.table, "--table");
  if (settings.steps > 0) settings.quality.steps = settings.steps;
  settings.step.seed = settings.quality.density.seed;
  Recorder recorder(output, invocation, settings.quality.density.options.device, true);
  recorder.record([&] { measure(recorder, settings); });
}

}  // namespace skde::bench
