#include "io/points/arrays/hdf5_packing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "core/report/error.hpp"
#include "io/text_fields.hpp"

namespace skde::io {
namespace {

constexpr hssize_t kMostAttributeValues = 4096;

struct Attribute {
  Hdf5Handle id, type;
  hssize_t values = 0;
};

std::optional<Attribute> open_attribute(const Hdf5Handle& set, const char* name) {
  if (H5Aexists(set.id(), name) <= 0) return std::nullopt;
  Attribute attribute{{H5Aopen(set.id(), name, H5P_DEFAULT), H5Aclose}, {}};
  attribute.type = Hdf5Handle(H5Aget_type(attribute.id.id()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.id.id()), H5Sclose);
  attribute.values = space ? H5Sget_simple_extent_npoints(space.id()) : 0;
  return attribute;
}

/// Empty if there is no such attribute, or it holds no numbers.
std::vector<double> attribute_numbers(const Hdf5Handle& set, const char* name) {
  const std::optional<Attribute> attribute = open_attribute(set, name);
  if (!attribute || attribute->values < 1 || attribute->values > kMostAttributeValues) return {};
  const H5T_class_t kind = H5Tget_class(attribute->type.id());
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) return {};
  std::vector<double> numbers(static_cast<std::size_t>(attribute->values));
  if (H5Aread(attribute->id.id(), H5T_NATIVE_DOUBLE, numbers.data()) < 0) return {};
  return numbers;
}

/// Empty if there is no such attribute, or it is not a single text.
std::string attribute_text(const Hdf5Handle& set, const char* name) {
  const std::optional<Attribute> attribute = open_attribute(set, name);
  if (!attribute || attribute->values != 1 || H5Tget_class(attribute->type.id()) != H5T_STRING)
    return "";
  if (H5Tis_variable_str(attribute->type.id()) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute->id.id(), attribute->type.id(), &text) < 0 || text == nullptr) return "";
    const std::string kept = text;
    H5free_memory(text);
    return kept;
  }
  std::string text(H5Tget_size(attribute->type.id()), '\0');
  if (H5Aread(attribute->id.id(), attribute->type.id(), text.data()) < 0) return "";
  return text.substr(0, text.find('\0'));
}

/// Reads a factor or an offset; returns `other` if there is none.
double one_number(const Hdf5Handle& set, const char* attribute, double other,
                  const std::string& name, const std::string& path) {
  if (H5Aexists(set.id(), attribute) <= 0) return other;
  const std::vector<double> numbers = attribute_numbers(set, attribute);
  if (numbers.size() == 1 && std::isfinite(numbers[0])) return numbers[0];
  throw Error(ErrorKind::input,
              fmt::format("{}: the attribute {} of {} must be a single number", name, attribute,
                          excerpt(path)),
              {{}, "write it as one number, or store the decoded values"});
}

/// NetCDF's default fill value for a type. Bytes have none: any byte may be a value.
std::optional<double> netcdf_fill(bool whole, bool is_signed, std::size_t bytes) {
  if (!whole) return bytes >= 4 ? std::optional(0x1.ep+122) : std::nullopt;
  if (bytes == 2) return is_signed ? -32767.0 : 65535.0;
  if (bytes == 4) return is_signed ? -2147483647.0 : 4294967295.0;
  if (bytes == 8) return is_signed ? -9223372036854775806.0 : 18446744073709551614.0;
  return std::nullopt;
}

/// The same, but only if the data set uses just that fill value: other programs fill with nothing
/// or 0.
std::optional<double> usual_fill(const Hdf5Handle& set, bool whole, bool is_signed,
                                 std::size_t bytes) {
  const std::optional<double> usual = netcdf_fill(whole, is_signed, bytes);
  const Hdf5Handle plan(H5Dget_create_plist(set.id()), H5Pclose);
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  double fill = 0;
  if (!usual || !plan || H5Pfill_value_defined(plan.id(), &defined) < 0 ||
      defined != H5D_FILL_VALUE_USER_DEFINED ||
      H5Pget_fill_value(plan.id(), H5T_NATIVE_DOUBLE, &fill) < 0 || fill != *usual)
    return std::nullopt;
  return usual;
}

}  // namespace

ValuePacking hdf5_packing(const Hdf5Handle& set, const std::string& name, const std::string& path) {
  const Hdf5Handle type(H5Dget_type(set.id()), H5Tclose);
  ValuePacking packing;
  const H5T_class_t kind = type ? H5Tget_class(type.id()) : H5T_NO_CLASS;
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) return packing;
  const bool whole = kind == H5T_INTEGER;
  const bool is_signed = !whole || H5Tget_sign(type.id()) == H5T_SGN_2;
  const std::size_t bytes = H5Tget_size(type.id());
  if (whole && is_signed && lower_case(attribute_text(set, "_Unsigned")) == "true")
    packing.wrap = std::ldexp(1.0, static_cast<int>(8 * bytes));
  // Attributes are rounded as the data set would store them: the double 1e20 differs from the
  // nearest float.
  const auto stored = [&](const char* attribute) {
    std::vector<double> numbers = attribute_numbers(set, attribute);
    for (double& number : numbers) {
      if (!whole && bytes == 4) number = static_cast<double>(static_cast<float>(number));
      if (number < 0) number += packing.wrap;
    }
    return numbers;
  };
  packing.missing = stored("_FillValue");
  if (packing.missing.empty() && packing.wrap == 0)
    if (const auto fill = usual_fill(set, whole, is_signed, bytes))
      packing.missing.push_back(*fill);
  std::ranges::copy(stored("missing_value"), std::back_inserter(packing.missing));
  if (const std::vector<double> range = stored("valid_range"); range.size() == 2) {
    packing.least = range[0];
    packing.most = range[1];
  } else {
    if (const auto least = stored("valid_min"); least.size() == 1) packing.least = least[0];
    if (const auto most = stored("valid_max"); most.size() == 1) packing.most = most[0];
  }
  packing.factor = one_number(set, "scale_factor", 1, name, path);
  packing.offset = one_number(set, "add_offset", 0, name, path);
  return packing;
}

}  // namespace skde::io
