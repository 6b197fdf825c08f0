#pragma once

#include <vector>

#include "estimate/fields/density_fields.hpp"

namespace skde {

// The rows of the table, group by group.

void add_sample_fields(std::vector<DensityField>& table);
void add_kernel_fields(std::vector<DensityField>& table);
void add_grid_fields(std::vector<DensityField>& table);
void add_computation_fields(std::vector<DensityField>& table);
void add_value_fields(std::vector<DensityField>& table);

}  // namespace skde
