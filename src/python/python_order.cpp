#include "python/python_request.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "order/curve_codes.hpp"
#include "order/file_sort.hpp"
#include "order/organised_rows.hpp"
#include "order/shared_work.hpp"
#include "order/sorted_order.hpp"
#include "python/python_call.hpp"
#include "python/python_values.hpp"

namespace skde::python {
namespace {

/// Returns the rows of points (N, 3) in the order of a curve, as an array (N,).
py::array sort(const Doubles& xyz, const std::string& by, bool reverse, py::object show) {
  const auto* const word =
      std::ranges::find(kOrders, by, &std::pair<std::string_view, OrderBy>::first);
  if (word == kOrders.end())
    throw Error(ErrorKind::usage, "must be 'morton' or 'hilbert'; got '" + by + "'", {"by", {}});
  const std::span<const double> points(xyz.data(), static_cast<std::size_t>(xyz.size()));
  const Curve curve = word->second == OrderBy::morton ? Curve::morton : Curve::hilbert;
  const std::vector<std::uint32_t> order = call_library(std::move(show), [&](Progress& progress) {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    std::vector<std::uint64_t> codes(points.size() / 3);
    const Box box = box_of(points);
    SharedWork work(progress, "codes", codes.size());
    work.each((codes.size() + kPiece - 1) / kPiece, [&](std::uint64_t piece, std::size_t) {
      const std::span<std::uint64_t> to =
          std::span(codes)
              .subspan(piece * kPiece)
              .first(std::min(kPiece, codes.size() - piece * kPiece));
      write_curve_codes(points.subspan(3 * kPiece * piece, 3 * to.size()), box, curve, to);
      if (reverse)
        for (std::uint64_t& code : to) code = ~code;
      return to.size();
    });
    progress.begin("sort", 0, "");
    return sorted_order(codes, &progress);
  });
  py::array_t<std::int64_t> rows(static_cast<py::ssize_t>(order.size()));
  std::ranges::copy(order, rows.mutable_data());
  return rows;
}

/// Sorts files; returns the facts of `skde sort --json`.
py::dict sort_file(std::vector<std::string> inputs, std::string output, std::string by,
                   const py::dict& more, py::object show) {
  FileSort job{.inputs = std::move(inputs), .output = std::move(output), .by = std::move(by)};
  job.reverse = more["reverse"].cast<bool>();
  job.index = more["index"].cast<bool>();
  job.columns.coordinates = more["columns"].cast<std::vector<std::string>>();
  job.memory_limit = more["memory_limit"].cast<std::int64_t>();
  const std::string engine = more["engine"].cast<std::string>();
  const auto* const named =
      std::ranges::find(kSortEngines, engine, &std::pair<std::string_view, SortEngine>::first);
  if (named == kSortEngines.end())
    throw Error(ErrorKind::usage, "must be 'auto', 'cpu' or 'gpu'; got '" + engine + "'",
                {"engine", {}});
  const FileSortFacts facts = call_library(std::move(show), [&](Progress& progress) {
    return sort_files(job, *make_key_sorter(named->second), progress);
  });
  show_warnings(facts.warnings);
  py::dict found;
  found["rows"] = facts.rows;
  found["runs"] = facts.runs;
  found["device"] = facts.device;
  found["keeps_types"] = facts.keeps_bytes;
  found["index_blocks"] = facts.index_blocks;
  return found;
}

/// The columns as they are compared: by one scale, or each by its own after the first three.
std::vector<float> compared(const Doubles& values) {
  RowSelection rows{{values.data(), static_cast<std::size_t>(values.size())},
                    static_cast<std::size_t>(values.shape(1))};
  for (std::size_t column = 0; column < rows.columns; ++column)
    (column < 3 ? rows.positions : rows.others).push_back(column);
  return comparable_values(rows);
}

/// Returns the row in each cell, (height, width), and -1 in empty cells.
py::array organise(const Doubles& values, std::uint64_t seed, const std::string& engine,
                   py::object show) {
  OrganisedRows found = call_library(std::move(show), [&](Progress& progress) {
    const std::vector<float> numbers = compared(values);
    ArrangementRequest request{numbers, static_cast<std::size_t>(values.shape(1)), seed};
    if (engine == "cpu") request.device = ArrangementDevice::cpu;
    if (engine == "gpu") request.device = ArrangementDevice::gpu;
    return organised(request, progress);
  });
  const Arrangement& grid = found.arrangement;
  py::array_t<std::int64_t> rows({grid.height, grid.width});
  std::int64_t* const to = rows.mutable_data();
  for (std::size_t cell = 0; cell < grid.item_at.size(); ++cell)
    to[cell] = grid.item_at[cell] == kNoItem ? -1 : std::int64_t{grid.item_at[cell]};
  return rows;
}

}  // namespace

void add_order(py::module_& module) {
  module.def("organise", organise);
  module.def("sort", sort);
  module.def("sort_file", sort_file);
}

}  // namespace skde::python
