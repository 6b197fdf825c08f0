#include "io/volumes/netcdf/netcdf_attributes.hpp"

#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kLongestAttribute = 1000;

/// The single text of type NC_STRING, which programs use for non-ASCII text.
std::string string_attribute(const NetcdfFile& file, int variable, const char* name) {
  char* held = nullptr;
  file.check(nc_get_att_string(file.id(), variable, name, &held));
  std::string text = held ? held : "";
  nc_free_string(1, &held);
  return text.size() > kLongestAttribute ? std::string() : text;
}

}  // namespace

std::string text_attribute(const NetcdfFile& file, int variable, const char* name) {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(file.id(), variable, name, &type, &length) != NC_NOERR) return "";
  if (type == NC_STRING && length == 1)
    return std::string(trimmed(string_attribute(file, variable, name)));
  if (type != NC_CHAR || length > kLongestAttribute) return "";
  std::string text(length, '\0');
  file.check(nc_get_att_text(file.id(), variable, name, text.data()));
  return std::string(trimmed(text.substr(0, text.find('\0'))));
}

std::vector<double> number_attribute(const NetcdfFile& file, int variable, const char* name) {
  std::size_t length = 0;
  if (nc_inq_attlen(file.id(), variable, name, &length) != NC_NOERR) return {};
  nc_type type = NC_NAT;
  file.check(nc_inq_atttype(file.id(), variable, name, &type));
  if (type < NC_BYTE || type > NC_UINT64 || type == NC_CHAR) return {};
  std::vector<double> numbers(length);
  file.check(nc_get_att_double(file.id(), variable, name, numbers.data()));
  return numbers;
}

}  // namespace skde::io
