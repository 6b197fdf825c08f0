#include "viewer/work/live_answers.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <string_view>
#include <variant>

#include "cli/options/density_options.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "estimate/fields/density_fields.hpp"
#include "io/points/columns/row_condition.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::view {

void LivePoints::update(const PointLook& look, const std::shared_ptr<const SampleCloud>& cloud,
                        const std::vector<OutlinedPlaces>& within) {
  if (!cloud || !look.needs_columns()) return ask_if_new(std::nullopt);
  ask_if_new(PointJob{cloud, look.colors == PointColors::column ? look.column : "", look.where,
                      within, look.sizes == PointColors::column ? look.size_column : ""});
}

void LiveScore::update(ScoreShown shown, const std::shared_ptr<const SampleCloud>& cloud,
                       const DensityRequest& request) {
  const auto& given = request.bandwidth.bandwidth;
  const bool has_h =
      std::holds_alternative<BandwidthRule>(given) || std::holds_alternative<double>(given);
  if (shown == ScoreShown::off || !cloud || !has_h) return ask_if_new(std::nullopt);
  ScoreJob job{cloud, request.bandwidth, request.kernel, request.options.threads, request.sharpen};
  job.bandwidth.bandwidth = shown == ScoreShown::lscv ? BandwidthRule::lscv : BandwidthRule::lcv;
  // Half of the cores, so that frames and densities go on.
  if (job.threads == 0) job.threads = std::max(1, thread_count(0) / 2);
  ask_if_new(std::move(job));
}

namespace {

/// Splits "key=value" if the key is one of those that make a B from A.
std::optional<std::pair<std::string, std::string>> changed_field(const std::string& with) {
  for (const std::string_view key : {"h", "bandwidth", "kernel", "where"})
    if (with.starts_with(std::string(key) + "="))
      return std::pair(std::string(key == "h" ? "bandwidth" : key), with.substr(key.size() + 1));
  return std::nullopt;
}

}  // namespace

CompareJob compare_job(const CompareState& compare, const CloudFiles& files,
                       const std::shared_ptr<const SampleCloud>& cloud,
                       const DensityRequest& request, const std::string& time) {
  CompareJob job;
  job.name = compare.with;
  job.as = compare.as;
  DensityOptions options;
  options.files = files;
  options.request = request;
  if (const auto field = changed_field(compare.with)) {
    if (!cloud)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: a volume without its samples can only be compared with a file",
                              compare.with),
                  {"compare", "name a volume by `compare`, or open the samples"});
    density_field(field->first).set(options, field->second);
  } else {
    options.files.paths = {compare.with};
    options.files.open = {};
    if (io::ColumnSelection& columns = options.files.columns; columns.widths_assumed) {
      columns.widths.clear();
      columns.widths_assumed = false;
    }
    if (!io::first_volume(options.files.paths, options.files.open).empty())
      options.files = {{compare.with}};
    cli::assume_widths({}, options.files, options.request);
  }
  if (options.files == files) {
    job.cloud = cloud;
  } else {
    std::string& where = options.files.columns.where;
    where = io::both_conditions(where, time);
  }
  job.files = std::move(options.files);
  job.request = std::move(options.request);
  return job;
}

void check_comparison(const CompareState& compare) {
  const auto field = changed_field(compare.with);
  if (!field) return;
  try {
    DensityOptions unused;
    density_field(field->first).set(unused, field->second);
  } catch (const Error& error) {
    throw error.renaming(field->first, "compare");
  }
}

std::vector<ReadoutLine> comparison_lines(const DensityComparison& found) {
  const auto divergence = [](const Divergence& d) {
    if (d.undefined_mass == 0) return cli::format_value(d.value) + " nats";
    return fmt::format("infinite: {} of the mass has none opposite; {} nats over the rest",
                       cli::format_value(d.undefined_mass), cli::format_value(d.value));
  };
  const auto& [x, y, z] = found.earth_movers;
  return {{"masses", fmt::format("A {}, B {}", cli::format_value(found.mass_a),
                                 cli::format_value(found.mass_b))},
          {"overlap", cli::format_value(found.overlap)},
          {"L1", cli::format_value(found.l1)},
          {"L2", cli::format_value(found.l2)},
          {"largest", cli::format_value(found.largest)},
          {"Hellinger", cli::format_value(found.hellinger)},
          {"KL(A|B)", divergence(found.a_from_b)},
          {"KL(B|A)", divergence(found.b_from_a)},
          {"Jensen-Shannon", cli::format_value(found.jensen_shannon) + " nats"},
          {"earth mover's", fmt::format("{} along x, {} along y, {} along z", cli::format_value(x),
                                        cli::format_value(y), cli::format_value(z))}};
}

LiveComparison::LiveComparison(std::function<void()> wake)
    : LiveAnswer(
          // The session belongs to the worker's thread.
          [session = std::make_shared<Session>()](const CompareJob& job, Progress& progress) {
            return compare_with(*session, job, progress);
          },
          std::move(wake)) {}

}  // namespace skde::view
