#pragma once

#include <vector>

#include "estimate/fields/density_fields.hpp"

namespace skde {

// Each function adds one group of rows to the table.

void add_sample_fields(std::vector<DensityField>& table);
void add_kernel_fields(std::vector<DensityField>& table);
void add_grid_fields(std::vector<DensityField>& table);
void add_computation_fields(std::vector<DensityField>& table);
void add_value_fields(std::vector<DensityField>& table);

}  // namespace skde
