#include "estimate/fields/density_fields.hpp"

#include <stdexcept>

#include "estimate/fields/field_rows.hpp"

namespace skde {
namespace {

std::vector<DensityField> make_table() {
  std::vector<DensityField> table;
  add_sample_fields(table);
  add_kernel_fields(table);
  add_grid_fields(table);
  add_computation_fields(table);
  add_value_fields(table);
  return table;
}

}  // namespace

std::span<const DensityField> density_fields() {
  static const std::vector<DensityField> table = make_table();
  return table;
}

const DensityField& density_field(std::string_view name) {
  for (const DensityField& field : density_fields())
    if (field.text.name == name && (field.targets & target::kGrid) != 0) return field;
  throw std::logic_error("a density has no field '" + std::string(name) + "'");
}

}  // namespace skde
