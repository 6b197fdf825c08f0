#include "commands/output/volume_info.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/output/comparison_report.hpp"
#include "commands/output/fit_report.hpp"
#include "commands/output/summary_documents.hpp"

namespace skde::cli {
namespace {

template <class Real>
ValueRange range_of(std::span<const Real> values) {
  ValueRange range{std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity()};
  for (const Real value : values) {
    range.least = std::min(range.least, static_cast<double>(value));  // nan is never less
    range.most = std::max(range.most, static_cast<double>(value));
    range.zeros += value == 0 ? 1 : 0;
    range.nans += std::isnan(value) ? 1 : 0;
  }
  return range;
}

ValueRange range_of(const Volume& volume) {
  return volume.precision() == Precision::f32 ? range_of(volume.values<float>())
                                              : range_of(volume.values<double>());
}

/// Per-sample bandwidth factors, as volumes record them.
struct AbramsonLaw {
  double alpha;
};

/// Returns true if skde wrote the file, so that its metadata are meaningful.
bool has_metadata(const DensityMetadata& metadata) { return metadata.samples > 0; }

void add_metadata(Report& report, const DensityMetadata& m, const Grid& grid) {
  report.line("values",
              fmt::format("normalised to '{}'", word_of(kNormalizations, m.normalization)));
  if (!m.axis_names[0].empty())
    report.line("axes", fmt::format("x = {}, y = {}, z = {}", m.axis_names[0], m.axis_names[1],
                                    m.axis_names[2]));
  if (!m.frame.empty()) report.line("frame", m.frame);
  if (!m.where.empty()) report.line("where", m.where);
  if (!m.category.empty())
    report.line("category",
                fmt::format("'{}', {} of all weight", m.category, format_share(m.category_share)));
  const bool histogram = is_histogram(m, grid);
  report.line("kernel", histogram ? kNoKernel : std::string(m.kernel->name));
  if (!histogram)
    report.line("bandwidth", m.h > 0
                                 ? fmt::format("h = {} ({})", format_value(m.h), m.bandwidth_source)
                                 : m.bandwidth_source);
  if (m.adaptive > 0) report.line("adaptive", fmt::format("per-sample, alpha {:g}", m.adaptive));
  if (m.sharpened) report.line("sharpened", sharpened_text(m.sharpened));
  if (!histogram) add_matrix(report, "H", m.H);
  report.line("samples",
              fmt::format("{}, W = {}, n_eff = {}", format_count(m.samples),
                          format_value(m.total_weight), format_value(m.effective_samples)));
  if (m.cells == CellValue::mean) report.line("cells", "means over them");
  if (has_boundary(m.boundaries)) report.line("boundary", boundary_text(m.boundaries));
  report.line("mass in box", format_share(m.mass_in_box));
  if (m.error_bound > 0)
    report.line("accuracy", accuracy_text(m.error_bound, m.measured_error, m.measured_cells));
  for (const std::string& warning : m.warnings) report.line("warning", warning);
  report.line("made by", fmt::format("skde {}, engine {}", m.version, m.engine));
  report.line("command", m.command_line);
}

/// Returns false for values derived from densities, such as a ratio.
bool is_density(const DensityMetadata& metadata) { return metadata.values.empty(); }

void add_origin(Report& report, const DensityMetadata& m) {
  report.line("values", m.values + ", not a density");
  report.line("made by", fmt::format("skde {}", m.version));
  report.line("command", m.command_line);
}

void add_range(Report& report, const VolumeShown& shown) {
  const Volume& volume = shown.file->volume;
  if (!shown.file->placed)
    report.line("place", "not in the file; cells are assumed to start at the origin");
  report.line("range", fmt::format("{} to {}, {} of them 0", format_value(shown.range.least),
                                   format_value(shown.range.most),
                                   format_share(static_cast<double>(shown.range.zeros) /
                                                static_cast<double>(volume.grid().cells()))));
  if (shown.range.nans > 0)
    report.line("nan", fmt::format("{} values", format_count(shown.range.nans)));
}

std::string integral_text(const VolumeShown& shown) {
  return is_density(shown.file->metadata) ? format_value(shown.file->volume.mass()) : "";
}

void add_origin_or_metadata(Report& report, const VolumeShown& shown) {
  const DensityMetadata& metadata = shown.file->metadata;
  if (!is_density(metadata)) return add_origin(report, metadata);
  if (has_metadata(metadata)) return add_metadata(report, metadata, shown.file->volume.grid());
  report.line("metadata", "none: not written by skde");
}

}  // namespace

VolumeShown::VolumeShown(std::string called, const io::VolumeFile& held)
    : path(std::move(called)), file(&held), range(range_of(held.volume)) {}

void add_fields(Fields<AbramsonLaw>& add) { add("alpha", &AbramsonLaw::alpha); }

void add_fields(Fields<DensityMetadata>& add) {
  add.name("metadata");
  add("version", &DensityMetadata::version);
  add.object("samples", [](auto& part) { part("used", &DensityMetadata::samples); });
  add("total_weight", &DensityMetadata::total_weight);
  add("effective_samples", &DensityMetadata::effective_samples);
  add("kernel", &DensityMetadata::kernel);
  add("bandwidth", [](auto& m) { return Bandwidth{m.H, m.h, m.bandwidth_source}; });
  add("adaptive",
      "adaptive bandwidths by Abramson's law; null if samples share one bandwidth, or `widths` "
      "were given",
      [](auto& m) { return when(m.adaptive > 0, AbramsonLaw{m.adaptive}); });
  add("sharpened", kSharpenedMeaning, &DensityMetadata::sharpened);
  add("units", [](auto& m) { return known(m.units); });
  add("axis_names", &DensityMetadata::axis_names);
  add("frame", "how coordinates in degrees were converted", [](auto& m) { return known(m.frame); });
  add("where", "the condition that rows must fulfil to be used",
      [](auto& m) { return known(m.where); });
  add("category", "number of samples, if other samples of the cloud were left out",
      [](auto& m) { return known(m.category); });
  add("category_share", "share of the weight of all categories",
      [](auto& m) { return positive(m.category_share); });
  add("boundary", kBoundaryMeaning, &DensityMetadata::boundaries);
  add("cells", kCellsMeaning, &DensityMetadata::cells);
  add("mass_in_box", &DensityMetadata::mass_in_box);
  add("error_bound", kErrorMeaning, [](auto& m) { return positive(m.error_bound); });
  add("measured_error", kMeasuredMeaning, [](auto& m) {
    return when(m.measured_cells > 0, MeasuredError{m.measured_error, m.measured_cells});
  });
  add("normalization", &DensityMetadata::normalization);
  add("warnings", "warnings of the run", &DensityMetadata::warnings);
  add.object("engine", [](auto& part) { part("name", &DensityMetadata::engine); });
  add("command_line", &DensityMetadata::command_line);
}

void add_fields(Fields<VolumeShown>& add) {
  add.name("volume", "skde info of one volume --json");
  add("path", &VolumeShown::path);
  add("grid", [](auto& shown) { return stored_grid(shown.file->volume); });
  add.lines([](auto& report, auto& shown) {
    const Volume& volume = shown.file->volume;
    add_grid(report, volume.grid(), volume.precision(), shown.file->metadata.units);
  });
  add("placed", "false if the file does not give the coordinates of its cells",
      [](auto& shown) { return shown.file->placed; });
  add("minimum", "of numbers; null if there are none",
      [](auto& shown) { return finite(shown.range.least); });
  add.lines(add_range);
  add("maximum", [](auto& shown) { return finite(shown.range.most); });
  add("zeros", "cells of value 0", [](auto& shown) { return shown.range.zeros; });
  add("nans", "cells that are nan", [](auto& shown) { return shown.range.nans; });
  add("integral", "null if some cells are nan",
      [](auto& shown) { return finite(shown.file->volume.mass()); });
  add.line("integral", integral_text);
  add("values", "density, or another quantity, such as ratio", [](auto& shown) {
    const DensityMetadata& metadata = shown.file->metadata;
    return is_density(metadata) ? "density" : metadata.values;
  });
  add("metadata", "null if another program wrote the file", [](auto& shown) {
    const DensityMetadata& metadata = shown.file->metadata;
    return LeftOut{when(has_metadata(metadata), metadata)};
  });
  add.lines(add_origin_or_metadata);
}

nlohmann::ordered_json JsonType<VolumeDocument>::schema(nlohmann::ordered_json& types) {
  nlohmann::ordered_json any = nlohmann::ordered_json::array();
  for (const AnyTable* const table :
       {&result_table<VolumeShown>(), &levels_document(), &surface_document(), &slices_document(),
        &projection_document(), &conversion_document(), &result_table<ComparisonRun>(),
        &result_table<FitRun>()})
    any.push_back(document_reference(*table, types));
  return {{"anyOf", std::move(any)}};
}

void add_fields(Fields<VolumeList>& add) {
  add.name("volumes", "skde info of several volumes --json, or others with --field all");
  add("volumes", &VolumeList::volumes);
}

}  // namespace skde::cli
