#pragma once

#include <string>
#include <vector>

#include "commands/output/volume_output.hpp"
#include "core/report/progress.hpp"
#include "io/points/point_table.hpp"
#include "io/points/point_writer.hpp"
#include "order/arrangement.hpp"

namespace skde::cli {

/// The picture of a column: greys from 0 to 65535 stand for values from low to high. Empty cells,
/// and values that are not finite, are 0.
struct ColumnPlane {
  std::string column;
  double low = 0, high = 0;
};

struct OrganisedFiles {
  std::vector<ColumnPlane> planes;  ///< empty for a file of points
  std::vector<WrittenFile> written;
};

/// Throws Error if organised rows cannot be written under this name, or it is one of the inputs.
void check_organised_output(const std::string& path, const std::vector<std::string>& inputs);
/// Writes the rows of a table in their order on the grid, as points with these facts, or as a
/// picture of 16 bits a column, whose name takes the place of {}. Throws Error(output) and
/// Error(cancelled).
OrganisedFiles write_organised(const std::string& path, const io::PointTable& table,
                               const Arrangement& arrangement, const io::PointFacts& facts,
                               Progress& progress);

}  // namespace skde::cli
