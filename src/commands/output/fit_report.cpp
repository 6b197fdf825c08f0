#include "commands/output/fit_report.hpp"

#include <fmt/core.h>

#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/version.hpp"
#include "io/text/json_object.hpp"

namespace skde::cli {

template <>
inline constexpr const auto& kWordsOf<FitLoss> = kFitLosses;

namespace {

using Json = nlohmann::ordered_json;

std::int64_t fit_volume_bytes(const FitRun& run) { return run.grid.bytes(run.precision); }

/// The size of the mixture's file, once it is written.
std::optional<std::int64_t> fit_file_bytes(const FitRun& run) {
  return when(!run.written.empty(), run.written.empty() ? 0 : run.written.front().bytes);
}

std::optional<KernelFunction> fit_kernel(const FitRun& run) {
  return when(run.density || !run.metadata.bandwidth_source.empty(), run.metadata.kernel);
}

void add_fit_input(Report& report, const FitRun& run) {
  add_density_input(report, run.inputs, run.density ? &*run.density : nullptr, run.metadata.units);
  add_grid(report, run.grid, run.precision, run.metadata.units);
}

std::string fit_members_text(const FitRun& run) {
  return fmt::format("{}, {} parameters", format_count(run.found.members),
                     format_count(static_cast<std::uint64_t>(run.found.parameters)));
}

std::string fit_error_text(const FitRun& run) {
  const FitFacts& found = run.found;
  return fmt::format("{} relative L2 over the cells, PSNR {:.1f} dB, at most {} of the peak",
                     format_share(found.relative_error), found.psnr,
                     format_share(found.largest_error));
}

std::string fit_mass_text(const FitRun& run) {
  return fmt::format("{} fitted, {} given", format_value(run.found.mass),
                     format_value(run.found.given_mass));
}

std::string fit_divergence_text(const FitRun& run) {
  std::string text = fmt::format("{} nats over the cells", format_value(run.found.divergence));
  if (!run.held_out) return text;
  const SampledDivergence& on = *run.held_out;
  text += fmt::format(", {} nats on {} samples held out", format_value(on.value),
                      format_count(on.samples - on.undefined));
  if (on.undefined > 0)
    text += fmt::format(" ({} more have a density of 0)", format_count(on.undefined));
  return text;
}

std::string fit_size_text(const FitRun& run) {
  const auto bytes = static_cast<double>(fit_file_bytes(run).value_or(0));
  if (bytes == 0) return "";
  const auto beside = [&](std::int64_t other, const char* what) {
    return fmt::format("1 / {:.3g} of the {}", static_cast<double>(other) / bytes, what);
  };
  std::string text = beside(fit_volume_bytes(run), "volume's values");
  if (run.cloud_bytes) text += ", " + beside(*run.cloud_bytes, "cloud");
  return text;
}

std::string fit_steps_text(const FitRun& run) {
  return fmt::format(
      "{}{} in {}, loss {}, seed {}, {}", format_count(static_cast<std::uint64_t>(run.found.steps)),
      run.cancelled ? " until it was cancelled" : "", format_duration(run.found.seconds),
      word_of(kFitLosses, run.spec.loss), run.spec.seed, run.found.engine);
}

/// Appends the values of an object as lines; arrays become numbers with blanks between them.
void add_facts(io::MixtureFacts& facts, const std::string& key, const Json& value) {
  if (value.is_null()) return;
  if (value.is_object()) {
    for (const auto& [name, part] : value.items())
      add_facts(facts, key.empty() ? name : key + '.' + name, part);
    return;
  }
  std::string text;
  for (const Json& part : value.is_array() ? value.flatten() : Json::array({value}))
    text += (text.empty() ? "" : " ") +
            (part.is_string() ? part.get<std::string>() : io::json_line(part));
  if (!text.empty()) facts.push_back({key, text});
}

}  // namespace

void add_fields(Fields<SampledDivergence>& add) {
  add("divergence", "mean of log f - log m, in nats", &SampledDivergence::value);
  add("samples", &SampledDivergence::samples);
  add("undefined", "samples left out of the mean, as f or m is 0 there",
      &SampledDivergence::undefined);
}

void add_fields(Fields<FitRun>& add) {
  add.name("fit", "skde fit IN... -o OUT --json");
  add("version", [](auto&) { return kVersion; });
  add("inputs", &FitRun::inputs);
  add("samples", "null for a volume",
      [](auto& run) { return run.density ? std::optional(run.density->counts) : std::nullopt; });
  add("effective_samples", "null if the volume does not state it",
      [](auto& run) { return positive(run.metadata.effective_samples); });
  add("total_weight", [](auto& run) { return positive(run.metadata.total_weight); });
  add("kernel", "null if the volume does not state it", fit_kernel);
  add.object("bandwidth", [](auto& part) {
    part("source", kSourceMeaning, [](auto& run) { return known(run.metadata.bandwidth_source); });
    part("H", [](auto& run) { return when(fit_kernel(run).has_value(), run.metadata.H); });
    part("h", "null if H was given", [](auto& run) { return positive(run.metadata.h); });
  });
  add("units", [](auto& run) { return known(run.metadata.units); });
  add("grid", [](auto& run) { return StoredGrid{run.grid, run.precision}; });
  add("normalization", [](auto& run) { return run.metadata.normalization; });
  add.lines(add_fit_input);
  add("members", "ellipsoids, K", [](auto& run) { return run.found.members; });
  add("parameters", [](auto& run) { return run.found.parameters; });
  add.line("ellipsoids", fit_members_text);
  add("kernel_covariance",
      "the part of every covariance that is the kernel's; null if it is unknown",
      &FitRun::kernel_covariance);
  add("relative_error", "root of sum (m - f)^2 / sum f^2 over the cells",
      [](auto& run) { return run.found.relative_error; });
  add("psnr", "in decibels", [](auto& run) { return finite(run.found.psnr); });
  add("largest_error", "of a cell, as a share of the peak",
      [](auto& run) { return run.found.largest_error; });
  add.line("error", fit_error_text);
  add.object("mass", [](auto& part) {
    part("fitted", [](auto& run) { return run.found.mass; });
    part("given", "in the box", [](auto& run) { return run.found.given_mass; });
  });
  add.line("mass", fit_mass_text);
  add("divergence", "of the given density from the mixture over the cells, in nats",
      [](auto& run) { return run.found.divergence; });
  add("held_out", "on samples that were held out; null if there are none", &FitRun::held_out);
  add.line("divergence", fit_divergence_text);
  add.object("bytes", [](auto& part) {
    part("mixture", "of the file", fit_file_bytes);
    part("volume", "of the values on the grid", fit_volume_bytes);
    part("cloud", "of the files; null for a volume or standard input", &FitRun::cloud_bytes);
  });
  add.line("size", fit_size_text);
  add("loss", [](auto& run) { return run.spec.loss; });
  add("steps", [](auto& run) { return run.found.steps; });
  add("seed", [](auto& run) { return run.spec.seed; });
  add("engine", "device and method of the fit", [](auto& run) { return run.found.engine; });
  add("fit_seconds", [](auto& run) { return run.found.seconds; });
  add("resumed", "the fit began with the ellipsoids of the output file", &FitRun::resumed);
  add("cancelled", "the fit ended early, by --save-on-cancel", &FitRun::cancelled);
  add.line("steps", fit_steps_text);
  add("seconds", &FitRun::seconds);
  add.line("took", [](auto& run) { return format_duration(run.seconds); });
  add("warnings", &FitRun::warnings);
  add_written(add);
}

io::MixtureFacts fit_facts(const FitRun& run, const std::string& command_line) {
  Json document = object_json(result_table<FitRun>().fields, &run);
  for (const char* later : {"seconds", "warnings", "written"}) document.erase(later);
  io::MixtureFacts facts;
  add_facts(facts, "", document);
  facts.push_back({"command_line", command_line});
  return facts;
}

}  // namespace skde::cli
