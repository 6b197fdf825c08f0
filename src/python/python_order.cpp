#include "python/python_order.hpp"

#include "order/organised_rows.hpp"
#include "python/python_call.hpp"
#include "python/python_values.hpp"

namespace skde::python {
namespace {

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

void add_order(py::module_& module) { module.def("organise", organise); }

}  // namespace skde::python
