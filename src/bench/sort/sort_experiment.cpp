#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_commands.hpp"
#include "bench/measure/recorder.hpp"
#include "bench/sort/sort_tables.hpp"
#include "bench/sort/sorters.hpp"
#include "cli/options/density_options.hpp"
#include "cli/output_path.hpp"
#include "core/grid.hpp"
#include "core/report/error.hpp"
#include "io/text_file.hpp"
#include "system/host_memory.hpp"

namespace skde::bench {
namespace {

/// Numbers of items: powers of two.
struct SortSizes {
  int first = 5, last = 28;
};

struct SortSettings {
  SortSizes sizes{};
  std::vector<SortedType> types{};
  std::vector<KeyPattern> patterns{};
  std::vector<std::string> sorters{};
  std::uint64_t seed = 1;
  int repetitions = 5;
  double max_seconds = 60;
  EngineOptions options{};
  std::string table, with;  ///< paths of files
};

/// The state of a sorter from one size to the next larger one.
struct Pace {
  const Sorter* sorter;
  double seconds = 0, count = 0;  ///< of its last run
  bool ended = false;             ///< it does not sort more items
};

SortSizes sizes_named(const std::string& given) {
  const auto dots = given.find("..");
  const WholeNumber<int> exponent(0, 31);
  const SortSizes sizes{exponent(given.substr(0, dots)),
                        exponent(dots == given.npos ? given : given.substr(dots + 2))};
  if (sizes.first > sizes.last)
    throw Error(ErrorKind::usage, "the first exponent must not be above the last");
  return sizes;
}

/// Returns why the sorter is not run on so many items; nothing if it is.
std::optional<Refusal> why_not_run(const Pace& pace, const SortCase& of, double max_seconds) {
  const Sorter& sorter = *pace.sorter;
  if (std::string why = sorter.unavailable(); !why.empty())
    return Refusal{Status::skipped, std::move(why)};
  if (sorter.most_bits && of.count > std::uint64_t{1} << *sorter.most_bits)
    return Refusal{Status::skipped, fmt::format("its time grows as N^2: measured up to N = 2^{}",
                                                *sorter.most_bits)};
  if (pace.seconds == 0) return {};
  const auto effort = [&](double count) {
    return sorter.most_bits ? count * count : count * std::log2(count + 1);
  };
  const double predicted =
      pace.seconds * effort(static_cast<double>(of.count)) / effort(pace.count);
  if (predicted > max_seconds) return too_long(predicted, max_seconds);
  return {};
}

Result blank_sort_row(const Sorter& sorter, const SortCase& of) {
  Result result;
  result.experiment = "sort";
  result.method = sorter.name;
  result.device = sorter.device == Device::cuda ? "cuda" : "cpu";
  result.cloud =
      fmt::format("{} {}", word_of(kKeyPatterns, of.pattern), word_of(kSortedTypes, of.type));
  result.samples = of.count;
  result.policy = sorter.what;
  return result;
}

/// A first sort, which is checked, and then the measured ones: fewer if they take long together.
void fill_times(Result& result, const Sorter& sorter, const SortItems& items,
                const SortSettings& settings, Progress& progress) {
  const auto run = sorter.begin(items, settings.options.device);
  run->sort();
  result.warmups = 1;
  if (std::string fault = fault_of(items, run->take_sorted(), sorter.stable); !fault.empty())
    return refuse(result, {Status::wrong, std::move(fault)});
  double together = 0;
  for (int k = 0; k < settings.repetitions && together <= settings.max_seconds; ++k) {
    progress.throw_if_cancelled();
    result.seconds.push_back(run->sort());
    together += result.seconds.back();
  }
}

void measure_sorter(Recorder& recorder, Pace& pace, const SortCase& of, const SortItems& items,
                    const SortSettings& settings) {
  if (pace.ended) return;
  Result result = blank_sort_row(*pace.sorter, of);
  recorder.announce(fmt::format("sort: {}", result.method));
  if (auto refusal = why_not_run(pace, of, settings.max_seconds)) {
    refuse(result, std::move(*refusal));
  } else {
    try {
      fill_times(result, *pace.sorter, items, settings, recorder.progress());
    } catch (const Error& error) {
      recorder.progress().throw_if_cancelled();
      refuse(result, {Status::failed, error.what()});
    }
  }
  pace.ended = !is_timed(result.status);
  if (!pace.ended) {
    pace.seconds = std::ranges::min(result.seconds);
    pace.count = static_cast<double>(of.count);
  }
  recorder.add(std::move(result));
}

/// All sorters on more and more items of one kind.
void measure_kind(Recorder& recorder, SortCase of, const SortSettings& settings) {
  std::vector<Pace> paces;
  for (const Sorter& sorter : sorters())
    if (std::ranges::count(settings.sorters, sorter.name) > 0) paces.push_back({&sorter});
  for (int bits = settings.sizes.first; bits <= settings.sizes.last; ++bits) {
    if (std::ranges::all_of(paces, &Pace::ended)) return;
    of.count = std::uint64_t{1} << bits;
    // The input, its sorted copy, and the working memory of a sorter.
    const double needed = 8.0 * bytes_of(of.type) * static_cast<double>(of.count),
                 free = static_cast<double>(available_memory());
    if (needed > free) {
      for (const Pace& pace : paces) {
        if (pace.ended) continue;
        Result result = blank_sort_row(*pace.sorter, of);
        refuse(result, {Status::skipped, fmt::format("needs {} of memory, and {} are free",
                                                     format_bytes(needed), format_bytes(free))});
        recorder.add(std::move(result));
      }
      return;
    }
    recorder.announce(fmt::format("sort: {} keys", of.count));
    const SortItems items = make_sort_items(of);
    for (Pace& pace : paces) measure_sorter(recorder, pace, of, items, settings);
  }
}

/// The names of the sorters on this device, or of all.
std::vector<std::string> sorter_names(std::optional<Device> device = {}) {
  std::vector<std::string> names;
  for (const Sorter& sorter : sorters())
    if (!device || sorter.device == *device) names.emplace_back(sorter.name);
  return names;
}

void add_sort_flags(cli::OptionTable& table, SortSettings& s) {
  table.group("Cases");
  table.value({"sizes", "A..B", "numbers of items: 2^A to 2^B", "5..28"}, s.sizes, sizes_named);
  table.value(
      {"keys", "NAME,...", "keys32, keys64, or pairs: 64-bit keys with 32-bit values", "all"},
      s.types, list_of(OneOf<SortedType>(kSortedTypes)));
  table.value(
      {"order", "NAME,...",
       "uniform: random keys; sorted; few-distinct: 16 different keys, in random order", "all"},
      s.patterns, list_of(OneOf<KeyPattern>(kKeyPatterns)));
  table.value({"seed", "S", "seed of the keys", "1"}, s.seed, WholeNumber(0));
  table.group("Measurement");
  table.value(
      {"sorters", "NAME,...",
       fmt::format("on the CPU: {}; on a GPU: {}", fmt::join(sorter_names(Device::cpu), ", "),
                   fmt::join(sorter_names(Device::cuda), ", ")),
       "all"},
      s.sorters, list_of(NameAmong(sorter_names(), "sorter")));
  table.value({"repetitions", "R", "number of measured sorts, after one that is checked", "5"},
              s.repetitions, WholeNumber<int>(1, 1000));
  table.value({"max-seconds", "S",
               "time limit of a sort, which is skipped if predicted to take longer; and of the "
               "repetitions together",
               "60"},
              s.max_seconds, RealNumber(0));
  cli::add_device_flag(table, s.options);
}

void measure_sorts(Recorder& recorder, const SortSettings& settings) {
  if (!settings.with.empty())
    for (Result& row : read_results(settings.with).results)
      if (row.experiment == "sort" && std::ranges::count(settings.sorters, row.method) == 0)
        recorder.add(std::move(row));
  for (const SortedType type : settings.types)
    for (const KeyPattern pattern : settings.patterns)
      measure_kind(recorder, {type, pattern, 0, settings.seed}, settings);
  if (!settings.table.empty()) io::write_text(settings.table, sort_tables(recorder.results()));
}

}  // namespace

void run_sort(const cli::Invocation& invocation) {
  SortSettings settings;
  for (const auto& [name, type] : kSortedTypes) settings.types.push_back(type);
  for (const auto& [name, pattern] : kKeyPatterns) settings.patterns.push_back(pattern);
  settings.sorters = sorter_names();
  ResultOptions output;
  cli::OptionTable table("skde-bench sort", "[FLAGS]",
                         "Measures sorts of keys and pairs on CPUs and GPUs. Each result is "
                         "checked. Copies to and from a GPU are left out. 'report' plots times "
                         "against N.");
  add_sort_flags(table, settings);
  output.add_flags(table);
  table.value({"table", "FILE", "tables of the results as Markdown"}, settings.table);
  table.value({"with", "RESULTS.json", "adds the rows of an earlier run of other sorters"},
              settings.with);
  table.most_used({"sizes", "keys", "order", "sorters", "repetitions", "json", "table", "output"});
  table.example("skde-bench sort --sizes 20..24 --keys pairs --order uniform", "five sizes");
  table.example("skde-bench sort --sorters cub-radix,bitonic-tiles -o sorts/ --table sorts.md",
                "two sorters on a GPU");
  if (!output.parse(table, invocation)) return;
  if (!settings.table.empty()) cli::require_writable(settings.table, "--table");
  Recorder recorder(output, invocation, settings.options.device, false);
  recorder.record([&] { measure_sorts(recorder, settings); });
}

}  // namespace skde::bench
