#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/report/field_text.hpp"
#include "estimate/values/request.hpp"
#include "io/text/json_object.hpp"

namespace skde {

/// Everything that specifies a density: files, the request, and further options of the user.
struct DensityOptions {
  CloudFiles files{};
  DensityRequest request{};
  std::string like_file{};        ///< volume that provides the grid; empty: the request does
  std::string covariance_file{};  ///< file that S was read from; empty: none
  std::string units{};            ///< of the coordinates, for output files
  std::int64_t memory_limit = 0;  ///< bytes of host memory; 0: what is available
  bool standard_error = false;    ///< also gives the standard error of each value

  friend bool operator==(const DensityOptions&, const DensityOptions&) = default;
};

/// Targets of a computation, as bits. A field applies to some of them.
namespace target {
inline constexpr unsigned kGrid = 1, kPoints = 2, kMeans = 4, kDraws = 8, kSearch = 16, kCloud = 32,
                          kErrors = 64;  ///< a grid, with the errors of its values
inline constexpr unsigned kAll = 127;
}  // namespace target

/// Kinds of runs on a grid, as bits. Fields and flags apply to all unless their text says so.
namespace run_kind {
inline constexpr unsigned kWhole = 1, kCategories = 2, kPart = 4, kWindow = 8;
}  // namespace run_kind

/// A row of the table of fields: a flag, a JSON key and an input of a service.
struct DensityField {
  FieldText text;
  std::string_view group{};  ///< title of its group of flags
  unsigned targets = 0;      ///< 0: the field has no flag
  /// Sets the value from text as a user writes it; empty text means the default. Throws
  /// Error(usage) if the text is invalid.
  std::function<void(DensityOptions&, const std::string&)> set{};
  /// Returns the value as set() takes it; empty for the default.
  std::function<std::string(const DensityOptions&)> print{};
  std::string key{};  ///< of JSON; empty: not in JSON
  std::function<nlohmann::ordered_json(const DensityOptions&)> put{};
  /// Sets the value of a key that is present. Throws what JsonObject::fail() throws.
  std::function<void(DensityOptions&, io::JsonObject&, const nlohmann::ordered_json&)> read{};
};

/// Returns all fields, in the order of the help pages.
std::span<const DensityField> density_fields();
/// Returns the field with this name, without dashes, of a density on a grid.
const DensityField& density_field(std::string_view name);

/// Parses a share of the peak from 0 to 0.1. Throws Error(usage) for any other text.
double parse_tolerance(const std::string& given);
/// Parses the names in "X,Y,Z". Throws Error(usage) unless there are three.
std::vector<std::string> parse_columns(const std::string& given);

// Options as keys of a JSON object, which may have other keys as well. Reading returns exactly what
// was put. A field whose key is missing keeps its value. A value of the wrong type or range throws
// Error(input), which names the object's file and the key.

void put_options(nlohmann::ordered_json& json, const DensityOptions& options);
void read_options(io::JsonObject& object, DensityOptions& options);

}  // namespace skde
