#include "commands/output/category_report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/report.hpp"
#include "cli/report_parts.hpp"
#include "cli/terminal_text.hpp"
#include "core/version.hpp"

namespace skde::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 40;  // of categories, and of files

void add_bandwidth(Report& report, const CategoryRun& run) {
  if (run.spec.bandwidth == CategoryBandwidth::own) {
    report.line("bandwidth", "every category's own");
    return;
  }
  const Bandwidth& bandwidth = run.densities->bandwidth;
  report.line("bandwidth",
              fmt::format("that of all samples{} ({})",
                          bandwidth.h > 0 ? fmt::format(", h = {}", format_value(bandwidth.h)) : "",
                          bandwidth.source));
  add_matrix(report, "H", bandwidth.H);
}

void add_categories(Report& report, const CategoryRun& run) {
  const auto& categories = run.densities->categories;
  std::vector<std::vector<std::string>> rows{
      {"category", "samples", "share", "mass in box", "peak"}};
  for (std::size_t i = 0; i < std::min(categories.size(), kMostRows); ++i) {
    const CategoryFacts& category = categories[i];
    rows.push_back({printable(category.name), format_count(category.facts.counts.samples()),
                    format_share(category.share), format_share(category.facts.mass_in_box),
                    format_value(category.facts.peak)});
  }
  if (categories.size() > kMostRows)
    rows.push_back({fmt::format("and {} more", categories.size() - kMostRows)});
  report.table("densities", rows);
  for (const LeftOutCategory& category : run.densities->left_out)
    report.line("left out",
                fmt::format("{} ({} rows): {}", category.name, category.rows, category.why));
}

void add_files(Report& report, const std::vector<WrittenFile>& written) {
  add_written(report, {written.begin(), written.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                              written.size(), kMostRows))});
  double bytes = 0;
  for (const WrittenFile& file : written) bytes += static_cast<double>(file.bytes);
  if (written.size() > 1)
    report.line("files", fmt::format("{}, {}", written.size(), format_bytes(bytes)));
}

}  // namespace

std::string category_summary(const CategoryRun& run) {
  const CategoryDensities& found = *run.densities;
  Report report;
  report.line("samples", counts_text(found.counts));
  report.line("columns", columns_text(found.columns, run.units));
  report.line("kernel", kernel_text(found.kernel, found.columns));
  add_bandwidth(report, run);
  add_grid(report, found.grid, found.precision, run.units);
  if (run.spec.mass == CategoryMass::share)
    report.line("values", "densities times their categories' shares of all weight");
  add_categories(report, run);
  report.line("time", fmt::format("{}, {} of memory at the most", format_duration(run.seconds),
                                  format_bytes(static_cast<double>(run.peak_memory))));
  add_files(report, run.written);
  return report.text();
}

nlohmann::ordered_json category_json(const CategoryRun& run) {
  const CategoryDensities& found = *run.densities;
  Json json = json_document("categories");
  json["version"] = kVersion;
  json["inputs"] = run.inputs;
  json["samples"] = counts_json(found.counts);
  json["columns"] = columns_json(found.columns);
  json["cloud"] = moments_json(found.moments);
  json["kernel"] = found.kernel->name;
  json["by_bandwidth"] = word_of(kCategoryBandwidths, run.spec.bandwidth);
  json["by_normalize"] = word_of(kCategoryMasses, run.spec.mass);
  json["units"] = text_or_null(run.units);
  json["grid"] = grid_json(found.grid, found.precision);
  json["categories"] = Json::array();
  for (const CategoryFacts& category : found.categories) {
    const DensityFacts& facts = category.facts;
    json["categories"].push_back(
        {{"name", category.name},
         {"samples", facts.counts.samples()},
         {"total_weight", facts.moments.total_weight()},
         {"share", category.share},
         {"bandwidth",
          {{"source", facts.bandwidth.source},
           {"H", matrix_json(facts.bandwidth.H)},
           {"h", facts.bandwidth.h > 0 ? Json(facts.bandwidth.h) : Json()}}},
         {"mass_in_box", facts.mass_in_box},
         {"error_bound", facts.error_bound},
         {"peak", facts.peak},
         {"engine", facts.engine}});
  }
  json["left_out"] = Json::array();
  for (const LeftOutCategory& category : found.left_out)
    json["left_out"].push_back(
        {{"name", category.name}, {"rows", category.rows}, {"reason", category.why}});
  json["seconds"] = run.seconds;
  json["peak_memory"] = run.peak_memory;
  json["warnings"] = warnings_json(found.warnings);
  json["written"] = written_json(run.written);
  return json;
}

}  // namespace skde::cli
