#pragma once

#include <nlohmann/json.hpp>
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
nlohmann::ordered_json counts_json(const io::CloudCounts& counts);
nlohmann::ordered_json counts_json(const PartialRows& rows);
/// "x = long, y = lat, z = depth", the weights, and units that differ. `units`: those of the user,
/// which hold instead of the file's; may be empty.
std::string columns_text(const io::ReadColumns& columns, const std::string& units);
/// {"x": {"name", "number", "units"}, "y", "z", "weight", "others"}; null for what there is not.
nlohmann::ordered_json columns_json(const io::ReadColumns& columns);
/// The kernel's name, and beside splats whether it is theirs.
std::string kernel_text(KernelFunction kernel, const io::ReadColumns& columns);
/// " m" where the units are known.
std::string unit_suffix(const std::string& units);
/// "values within 8e-07 of the peak", and what was measured at so many cells; 0: nothing was.
std::string accuracy_text(double error_bound, double measured, std::uint64_t cells);
/// "periodic along x, none along y, reflect along z".
std::string boundary_text(const Boundaries& boundaries);
/// The words of x, y and z.
nlohmann::ordered_json boundary_json(const Boundaries& boundaries);
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
nlohmann::ordered_json vector_json(Vec3 v);
nlohmann::ordered_json box_json(const Box& box);
nlohmann::ordered_json matrix_json(const Symmetric3& matrix);
nlohmann::ordered_json moments_json(const Moments& moments);
nlohmann::ordered_json grid_json(const Grid& grid, Precision precision);

/// {"kind", "message", "parameter", "suggestion"} of each, the latter two null where there is none.
nlohmann::ordered_json warnings_json(const std::vector<Warning>& warnings);

}  // namespace skde::cli
