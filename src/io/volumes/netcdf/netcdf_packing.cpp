#include "io/volumes/netcdf/netcdf_packing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "io/text_fields.hpp"
#include "io/volumes/netcdf/netcdf_attributes.hpp"

namespace skde::io {
namespace {

/// The library's default fill value for a type. Bytes have none: any byte may be a value.
std::optional<double> default_fill(nc_type type) {
  switch (type) {
    case NC_SHORT:
      return static_cast<double>(NC_FILL_SHORT);
    case NC_USHORT:
      return static_cast<double>(NC_FILL_USHORT);
    case NC_INT:
      return static_cast<double>(NC_FILL_INT);
    case NC_UINT:
      return static_cast<double>(NC_FILL_UINT);
    case NC_INT64:
      return static_cast<double>(NC_FILL_INT64);
    case NC_UINT64:
      return static_cast<double>(NC_FILL_UINT64);
    case NC_FLOAT:
      return static_cast<double>(NC_FILL_FLOAT);
    case NC_DOUBLE:
      return NC_FILL_DOUBLE;
    default:
      return std::nullopt;
  }
}

/// 2 to the number of bits if `_Unsigned` declares signed integers as unsigned, otherwise 0. The
/// classic formats have no unsigned types.
double wrap_of(const NetcdfFile& file, int variable, nc_type type) {
  const bool is_signed = type == NC_BYTE || type == NC_SHORT || type == NC_INT || type == NC_INT64;
  if (!is_signed || lower_case(text_attribute(file, variable, "_Unsigned")) != "true") return 0;
  std::size_t bytes = 0;
  file.check(nc_inq_type(file.id(), type, nullptr, &bytes));
  return std::ldexp(1.0, static_cast<int>(8 * bytes));
}

/// The numbers of an attribute, as the variable would store them: `missing_value = 1e20` is a
/// double, but a variable of floats holds the nearest float.
std::vector<double> stored_numbers(const NetcdfFile& file, int variable, nc_type type, double wrap,
                                   const char* name) {
  std::vector<double> numbers = number_attribute(file, variable, name);
  for (double& number : numbers) {
    if (type == NC_FLOAT) number = static_cast<double>(static_cast<float>(number));
    if (number < 0) number += wrap;
  }
  return numbers;
}

/// The number of an attribute that has just one, otherwise `other`.
double number_or(const std::vector<double>& numbers, double other) {
  return numbers.size() == 1 ? numbers[0] : other;
}

}  // namespace

ValuePacking read_packing(const NetcdfFile& file, int variable) {
  nc_type type = NC_NAT;
  int unfilled = 0;
  file.check(nc_inq_vartype(file.id(), variable, &type));
  file.check(nc_inq_var_fill(file.id(), variable, &unfilled, nullptr));
  ValuePacking packing;
  packing.wrap = wrap_of(file, variable, type);
  const auto numbers = [&](const char* name) {
    return stored_numbers(file, variable, type, packing.wrap, name);
  };
  packing.missing = numbers("_FillValue");
  if (const auto fill = default_fill(type);
      fill && packing.missing.empty() && packing.wrap == 0 && unfilled == 0)
    packing.missing.push_back(*fill);
  std::ranges::copy(numbers("missing_value"), std::back_inserter(packing.missing));
  if (const std::vector<double> range = numbers("valid_range"); range.size() == 2) {
    packing.least = range[0];
    packing.most = range[1];
  } else {
    packing.least = number_or(numbers("valid_min"), packing.least);
    packing.most = number_or(numbers("valid_max"), packing.most);
  }
  packing.factor = number_or(number_attribute(file, variable, "scale_factor"), 1);
  packing.offset = number_or(number_attribute(file, variable, "add_offset"), 0);
  return packing;
}

}  // namespace skde::io
