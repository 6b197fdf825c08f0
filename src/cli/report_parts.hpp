#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "cli/report.hpp"
#include "core/cloud/moments.hpp"
#include "core/cloud/partial_sums.hpp"
#include "core/density_metadata.hpp"
#include "core/grid.hpp"
#include "core/report/warning.hpp"
#include "core/space.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde::cli {

/// "1,000 read" and how many of them were dropped, and why.
std::string counts_text(const io::CloudCounts& counts);
/// The same of partial sums or moments, with the frame and the condition of their samples.
std::string counts_text(const PartialCloud& cloud);
/// "x = long, y = lat, z = depth", the weights, and units that differ. `units`: those of the user,
/// which hold instead of the file's; may be empty.
std::string columns_text(const io::ReadColumns& columns, const std::string& units);
/// The counts of partial sums.
io::CloudCounts counts_of(const PartialRows& rows);
/// The sum of the weights, and n_eff.
std::string weights_text(const Moments& moments);
/// The kernel's name, and beside splats whether it is theirs.
std::string kernel_text(KernelFunction kernel, const io::ReadColumns& columns);
/// " m" where the units are known.
std::string unit_suffix(const std::string& units);
/// "values within 8e-07 of the peak", and what was measured at so many cells; 0: nothing was.
std::string accuracy_text(double error_bound, double measured, std::uint64_t cells);
/// "periodic along x, none along y, reflect along z"; empty where the box has no boundary.
std::string boundary_text(const Boundaries& boundaries);
/// Lower and upper corner, an axis a row.
void add_box(Report& report, const std::string& label, const Box& box);
/// Three rows of three numbers.
void add_matrix(Report& report, const std::string& label, const Symmetric3& matrix);
/// The source of a bandwidth, h where there is one, and H.
void add_bandwidth(Report& report, const Bandwidth& bandwidth);
/// Whose score chose it, where that is not the kernel in use.
void add_judge(Report& report, const Bandwidth& bandwidth);
/// Dims, spacing, memory, and for each axis the outer faces and the first and last cell centre.
void add_grid(Report& report, const Grid& grid, Precision precision, const std::string& units);
/// How much few far samples widen the covariance, where that is by a half or more.
void add_outliers(Report& report, const Moments& moments);
/// Whether default cells are cubes, and the ratio of the kernel's reaches that decides it; nothing
/// where that is 0.
void add_cells(Report& report, const Grid& grid, double ratio);

}  // namespace skde::cli
