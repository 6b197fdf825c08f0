#pragma once

#include <cstdint>
#include <memory>

#include "io/points/clouds/ply_header.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/point_reader.hpp"

namespace skde::io {

/// Skips all rows of `element`; `lines` counts the lines of an ASCII file. Throws Error(input) if
/// the file ends before that.
void skip_ply_element(BufferedSource& source, const PlyElement& element, PlyEncoding encoding,
                      std::uint64_t& lines);

/// Reads rows of an element with list properties, whose length varies from row to row. `selected`
/// holds indices into element.properties.
std::unique_ptr<PointReader> read_ply_list_rows(BufferedSource source, PlyElement element,
                                                PlyEncoding encoding,
                                                const SelectedColumns& selected,
                                                std::uint64_t lines);

}  // namespace skde::io
