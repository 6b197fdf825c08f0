#include "commands/output/volume_info.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/report.hpp"
#include "cli/report_parts.hpp"

namespace skde::cli {
namespace {

/// Smallest and largest value, and how many are 0, or not a number.
struct ValueRange {
  double least = 0, most = 0;
  std::int64_t zeros = 0, nans = 0;
};

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

/// True where skde wrote the file, and its metadata mean something.
bool has_metadata(const DensityMetadata& metadata) { return metadata.samples > 0; }

void add_metadata(Report& report, const DensityMetadata& m) {
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
  report.line("kernel", std::string(m.kernel->name));
  report.line("bandwidth", m.h > 0
                               ? fmt::format("h = {} ({})", format_value(m.h), m.bandwidth_source)
                               : m.bandwidth_source);
  if (m.adaptive > 0)
    report.line("adaptive", fmt::format("every sample's own lengths, alpha {:g}", m.adaptive));
  add_matrix(report, "H", m.H);
  report.line("samples",
              fmt::format("{}, W = {}, n_eff = {}", format_count(m.samples),
                          format_value(m.total_weight), format_value(m.effective_samples)));
  if (has_boundary(m.boundaries)) report.line("boundary", boundary_text(m.boundaries));
  report.line("mass in box", format_share(m.mass_in_box));
  if (m.error_bound > 0)
    report.line("accuracy", accuracy_text(m.error_bound, m.measured_error, m.measured_cells));
  for (const std::string& warning : m.warnings) report.line("warning", warning);
  report.line("made by", fmt::format("skde {}, engine {}", m.version, m.engine));
  report.line("command", m.command_line);
}

/// False of what was made of densities, as a ratio.
bool is_density(const DensityMetadata& metadata) { return metadata.values.empty(); }

void add_origin(Report& report, const DensityMetadata& m) {
  report.line("values", m.values + ", no density");
  report.line("made by", fmt::format("skde {}", m.version));
  report.line("command", m.command_line);
}

}  // namespace

std::string volume_text(const io::VolumeFile& file) {
  const Volume& volume = file.volume;
  const ValueRange range = range_of(volume);
  Report report;
  add_grid(report, volume.grid(), volume.precision(), file.metadata.units);
  if (!file.placed) report.line("place", "not in the file; taken for cells from the origin on");
  report.line("range", fmt::format("{} to {}, {} of them 0", format_value(range.least),
                                   format_value(range.most),
                                   format_share(static_cast<double>(range.zeros) /
                                                static_cast<double>(volume.grid().cells()))));
  if (range.nans > 0) report.line("nan", fmt::format("{} values", format_count(range.nans)));
  if (!is_density(file.metadata)) {
    add_origin(report, file.metadata);
    return report.text();
  }
  report.line("integral", format_value(volume.mass()));
  if (has_metadata(file.metadata))
    add_metadata(report, file.metadata);
  else
    report.line("metadata", "none: not written by skde");
  return report.text();
}

nlohmann::ordered_json volume_json(const std::string& path, const io::VolumeFile& file) {
  const ValueRange range = range_of(file.volume);
  nlohmann::ordered_json json = json_document("volume");
  json["path"] = path;
  json["grid"] = grid_json(file.volume.grid(), file.volume.precision());
  json["placed"] = file.placed;
  json["minimum"] = range.least;
  json["maximum"] = range.most;
  json["zeros"] = range.zeros;
  json["nans"] = range.nans;
  json["integral"] = file.volume.mass();
  json["values"] = is_density(file.metadata) ? "density" : file.metadata.values;
  const DensityMetadata& m = file.metadata;
  if (!has_metadata(m)) return json;
  json["metadata"] = {
      {"version", m.version},
      {"samples", {{"used", m.samples}}},
      {"total_weight", m.total_weight},
      {"effective_samples", m.effective_samples},
      {"kernel", m.kernel->name},
      {"bandwidth",
       {{"source", m.bandwidth_source},
        {"H", matrix_json(m.H)},
        {"h", m.h > 0 ? nlohmann::ordered_json(m.h) : nlohmann::ordered_json(nullptr)}}},
      {"adaptive", m.adaptive > 0 ? nlohmann::ordered_json{{"alpha", m.adaptive}} : nullptr},
      {"units", text_or_null(m.units)},
      {"axis_names", m.axis_names},
      {"frame", text_or_null(m.frame)},
      {"where", text_or_null(m.where)},
      {"category", text_or_null(m.category)},
      {"category_share", m.category_share > 0 ? nlohmann::ordered_json(m.category_share) : nullptr},
      {"boundary", boundary_json(m.boundaries)},
      {"mass_in_box", m.mass_in_box},
      {"error_bound", m.error_bound > 0 ? nlohmann::ordered_json(m.error_bound) : nullptr},
      {"measured_error", m.measured_cells > 0 ? nlohmann::ordered_json{{"error", m.measured_error},
                                                                       {"cells", m.measured_cells}}
                                              : nullptr},
      {"normalization", word_of(kNormalizations, m.normalization)},
      {"warnings", m.warnings},
      {"engine", {{"name", m.engine}}},
      {"command_line", m.command_line}};
  return json;
}

}  // namespace skde::cli
