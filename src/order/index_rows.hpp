#pragma once

#include <string>

#include "core/report/progress.hpp"
#include "io/points/reading_choices.hpp"
#include "io/points/row_index.hpp"

namespace skde {

/// Reads a file of records (see RecordFiles) once and returns the index of its rows. Throws what
/// reading throws, and Error(cancelled).
io::RowIndex index_rows(const std::string& path, const io::ColumnSelection& columns,
                        Progress& progress);

}  // namespace skde
