#pragma once

#include <string>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "cli/results/report.hpp"
#include "core/cloud/moments.hpp"
#include "core/density_metadata.hpp"
#include "core/partial_sums.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"
#include "estimate/values/density_facts.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde::cli {

/// Returns "1,000 read", and how many of them were dropped, and why.
std::string counts_text(const io::CloudCounts& counts);
/// Returns the same for partial sums or moments, with the frame and the condition of their samples.
std::string counts_text(const PartialCloud& cloud);
/// Returns "x = long, y = lat, z = depth", the weights, and units that differ. `units` of the user
/// replace those of the file; may be empty.
std::string columns_text(const io::ReadColumns& columns, const std::string& units);
/// Returns the counts of partial sums.
io::CloudCounts counts_of(const PartialRows& rows);
/// Returns the sum of the weights, and n_eff.
std::string weights_text(const Moments& moments);
/// Stands in reports in place of a kernel.
inline constexpr const char* kNoKernel = "none: a histogram";
/// Returns the kernel's name; for splats and mixtures, also whether it is theirs.
std::string kernel_text(KernelFunction kernel, const io::ReadColumns& columns);
/// Returns the kernel's name of a density; kNoKernel if it is a histogram.
std::string kernel_text(const DensityFacts& facts);
/// Returns " m"; empty if the units are unknown.
std::string unit_suffix(const std::string& units);
/// Returns "values within 8e-07 of the peak", and the error measured at `cells` cells; 0: none was.
std::string accuracy_text(double error_bound, double measured, std::uint64_t cells);
/// Returns the word for the origin of S: the form that the samples chose, one that was asked for,
/// or "file".
std::string covariance_word(const BandwidthSpec& asked, const Bandwidth& chosen);
/// Returns what is said of sharpened samples; empty if they are not.
std::string sharpened_text(bool sharpened);
/// Returns "periodic along x, none along y, reflect along z"; empty if the box has no boundary.
std::string boundary_text(const Boundaries& boundaries);
/// Adds the lower and upper corner, one axis per row.
void add_box(Report& report, const std::string& label, const Box& box);
/// Adds three rows of three numbers.
void add_matrix(Report& report, const std::string& label, const Symmetric3& matrix);
/// Adds the source of a bandwidth, h if there is one, and H.
void add_bandwidth(Report& report, const Bandwidth& bandwidth);
/// Adds the kernel whose score chose the bandwidth, if it is not the kernel in use.
void add_judge(Report& report, const Bandwidth& bandwidth);
/// Adds dims, spacing and memory; for each axis the outer faces and the first and last cell centre.
void add_grid(Report& report, const Grid& grid, Precision precision, const std::string& units);
/// Adds samples, kernel and bandwidth of a cloud's density, or the name of a volume without facts.
void add_density_input(Report& report, const std::vector<std::string>& inputs,
                       const DensityFacts* facts, const std::string& units);
/// Adds how much a few distant samples widen the covariance, if that is by a half or more.
void add_outliers(Report& report, const Moments& moments);
/// Adds whether default cells are cubes, and the ratio of the kernel's reaches that decides it;
/// adds nothing if the ratio is 0.
void add_cells(Report& report, const Grid& grid, double ratio);

}  // namespace skde::cli
