#include "cli/report_parts.hpp"

#include <fmt/core.h>

#include <utility>

#include "cli/exit_code.hpp"
#include "cli/text/terminal_text.hpp"

namespace skde::cli {

std::string counts_text(const io::CloudCounts& counts) {
  std::string text = format_count(counts.rows) + " read";
  if (counts.left_out > 0) text += fmt::format(", {} left out", format_count(counts.left_out));
  if (counts.comments > 0)
    text += fmt::format(", {} more lines are comments", format_count(counts.comments));
  const std::uint64_t dropped = counts.dropped();
  if (dropped == 0) return text + ", none dropped";
  text += fmt::format(", {} dropped: ", format_count(dropped));
  const char* before = "";
  for (const auto& [count, what] :
       {std::pair{counts.non_finite, "not finite"}, std::pair{counts.zero_weight, "of weight 0"},
        std::pair{counts.zero_width, "of width 0"}}) {
    if (count == 0) continue;
    text += fmt::format("{}{} {}", before, format_count(count), what);
    before = ", ";
  }
  return text;
}

io::CloudCounts counts_of(const PartialRows& rows) {
  return {rows.rows, rows.non_finite, rows.zero_weight, rows.left_out};
}

std::string counts_text(const PartialCloud& cloud) {
  std::string text = counts_text(counts_of(cloud.rows));
  if (!cloud.frame.empty()) text += "; " + cloud.frame;
  if (!cloud.where.empty()) text += "; where " + cloud.where;
  return text;
}

namespace {

std::string column_text(const io::ReadColumn& column) {
  return column.name.empty() ? fmt::format("column {}", column.number) : column.name;
}

}  // namespace

std::string columns_text(const io::ReadColumns& columns, const std::string& units) {
  std::string text;
  for (std::size_t axis = 0; axis < 3; ++axis)
    text += fmt::format("{}{} = {}", axis == 0 ? "" : ", ", kAxisNames[axis],
                        column_text(columns.xyz[axis]));
  if (columns.weight) text += ", weight = " + column_text(*columns.weight);
  const char* before = ", widths = ";
  for (const io::ReadColumn& column : columns.widths) {
    text.append(before).append(column_text(column));
    before = ", ";
  }
  if (!columns.frame.empty()) text += "; " + columns.frame;
  if (!columns.where.empty()) text += "; where " + columns.where;
  if (!columns.remark.empty()) text += "; " + with_flags(columns.remark);
  if (columns.units_differ() && units.empty()) text += "; the units differ, so no unit is written";
  return text;
}

std::string weights_text(const Moments& moments) {
  return fmt::format("W = {}, n_eff = {}", format_value(moments.total_weight()),
                     format_value(moments.effective_samples()));
}

std::string kernel_text(KernelFunction kernel, const io::ReadColumns& columns) {
  const std::string name(kernel->name);
  const std::string& owners = columns.gaussians;
  if (owners.empty()) return name;
  if (kernel == KernelFunction::gaussian) return fmt::format("{}, the kernel of {}", name, owners);
  return fmt::format("{}, with the scales of {} as its radii; {} have Gaussian kernels", name,
                     owners, owners);
}

std::string kernel_text(const DensityFacts& facts) {
  return facts.request.is_histogram() ? kNoKernel
                                      : kernel_text(facts.kernel.function, facts.columns);
}

std::string unit_suffix(const std::string& units) { return units.empty() ? "" : " " + units; }

std::string accuracy_text(double error_bound, double measured, std::uint64_t cells) {
  std::string text = fmt::format("values within {:.1g} of the density's peak", error_bound);
  if (cells > 0)
    text += fmt::format("; measured {:.1g} of the volume's peak at {} random cells, by direct sums",
                        measured, cells);
  return text;
}

std::string covariance_word(const BandwidthSpec& asked, const Bandwidth& chosen) {
  if (!chosen.form.empty()) return chosen.form;
  return asked.covariance ? "file" : std::string(word_of(kCovarianceForms, asked.form));
}

std::string sharpened_text(bool sharpened) {
  return sharpened ? "samples moved by half of their mean shift" : "";
}

std::string boundary_text(const Boundaries& boundaries) {
  const auto& [x, y, z] = boundaries;
  if (!has_boundary(boundaries)) return "";
  if (x == y && y == z) return std::string(word_of(kBoundaries, x)) + " along all axes";
  std::string text;
  for (std::size_t axis = 0; axis < 3; ++axis)
    text += fmt::format("{}{} along {}", axis == 0 ? "" : ", ",
                        word_of(kBoundaries, boundaries[axis]), kAxisNames[axis]);
  return text;
}

void add_box(Report& report, const std::string& label, const Box& box) {
  const Vec3 extent = box.extent();
  std::vector<std::vector<std::string>> rows;
  rows.reserve(3);
  for (int axis = 0; axis < 3; ++axis)
    rows.push_back({std::string(1, kAxisNames[axis]),
                    format_coordinate(box.lower[axis], extent[axis]), "to",
                    format_coordinate(box.upper[axis], extent[axis])});
  report.table(label, rows);
}

void add_matrix(Report& report, const std::string& label, const Symmetric3& matrix) {
  std::vector<std::vector<std::string>> rows(3);
  for (int row = 0; row < 3; ++row) {
    rows[row].emplace_back();
    for (int column = 0; column < 3; ++column)
      rows[row].push_back(format_value(matrix(row, column)));
  }
  report.table(label, rows);
}

void add_bandwidth(Report& report, const Bandwidth& bandwidth) {
  report.line("bandwidth", bandwidth.h > 0 ? fmt::format("h = {} ({})", format_value(bandwidth.h),
                                                         bandwidth.source)
                                           : fmt::format("H ({})", bandwidth.source));
  add_judge(report, bandwidth);
  add_matrix(report, "H", bandwidth.H);
}

void add_outliers(Report& report, const Moments& moments) {
  constexpr double kMuch = 1.5;
  const double widening = outlier_widening(moments);
  if (widening < kMuch && widening > 1 / kMuch) return;
  report.line("note",
              fmt::format("the standard deviations of the samples are {:.2g} times those of the "
                          "middle of the cloud; --covariance robust uses the latter for S",
                          widening));
}

void add_judge(Report& report, const Bandwidth& bandwidth) {
  if (bandwidth.silverman > 0 && bandwidth.h != bandwidth.silverman)
    report.line("",
                fmt::format("{:.3g} times that of Silverman's rule, {}",
                            bandwidth.h / bandwidth.silverman, format_value(bandwidth.silverman)));
  if (bandwidth.scored > 0)
    report.line("", fmt::format("chosen by {} samples drawn at random, and scaled to all",
                                format_count(bandwidth.scored)));
  if (!bandwidth.judge.empty())
    report.line("", fmt::format("by the score of the {} kernel, with h scaled to this kernel",
                                bandwidth.judge));
}

void add_cells(Report& report, const Grid& grid, double ratio) {
  if (!(ratio > 0)) return;
  // With given bounds, cells shrink until they fill them, whether they are cubes or not.
  const bool unlike = ratio > kUnlikeReaches && reach_ratio(grid.spacing) > 0.5 * kUnlikeReaches;
  report.line(
      "cells",
      ratio < 1.005  // 1 in the digits below
          ? "cubes, because the kernel reaches equally far along all axes"
          : fmt::format(
                "{}, because the kernel reaches {:.3g} times as far along one axis as along "
                "another{}",
                unlike ? "unequal edge lengths" : "cubes", ratio,
                ratio > kUnlikeReaches ? "" : fmt::format(" (not above {:g})", kUnlikeReaches)));
}

void add_grid(Report& report, const Grid& grid, Precision precision, const std::string& units) {
  const auto& n = grid.dims;
  const Vec3 d = grid.spacing;
  const bool cubes = d.x == d.y && d.y == d.z;
  const std::string cell =
      cubes ? format_value(d.x)
            : fmt::format("{} x {} x {}", format_value(d.x), format_value(d.y), format_value(d.z));
  report.line("grid", fmt::format("{} x {} x {} cells of {}{}{}, {} as {}", n[0], n[1], n[2],
                                  cubes ? "edge " : "", cell, unit_suffix(units),
                                  format_bytes(static_cast<double>(grid.bytes(precision))),
                                  precision == Precision::f32 ? "f32" : "f64"));
  const Box box = grid.bounds();
  const Vec3 first = grid.first_centre(), last = grid.centre(n[0] - 1, n[1] - 1, n[2] - 1);
  std::vector<std::vector<std::string>> rows{{"", "from face", "to face", "first centre", "last"}};
  for (int axis = 0; axis < 3; ++axis) {
    const double extent = box.extent()[axis];
    rows.push_back({std::string(1, kAxisNames[axis]), format_coordinate(box.lower[axis], extent),
                    format_coordinate(box.upper[axis], extent),
                    format_coordinate(first[axis], extent), format_coordinate(last[axis], extent)});
  }
  report.table("box", rows);
}

void add_density_input(Report& report, const std::vector<std::string>& inputs,
                       const DensityFacts* facts, const std::string& units) {
  if (!facts) return report.line("volume", inputs.front());
  report.line("samples", counts_text(facts->counts));
  report.line("columns", columns_text(facts->columns, units));
  report.line("kernel", kernel_text(*facts));
  if (!facts->request.is_histogram()) add_bandwidth(report, facts->bandwidth);
  if (has_boundary(facts->boundaries)) report.line("boundary", boundary_text(facts->boundaries));
}

}  // namespace skde::cli
