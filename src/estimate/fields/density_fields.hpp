#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/report/field_text.hpp"
#include "estimate/request.hpp"
#include "io/json_object.hpp"

namespace skde {

/// What a density is made of: files, the request, and what a person says beside them.
struct DensityOptions {
  CloudFiles files{};
  DensityRequest request{};
  std::string like_file{};  ///< volume whose grid is taken; empty: the grid comes from the request
  std::string covariance_file{};  ///< where S was read from; empty: nowhere
  std::string units{};            ///< of the coordinates, for the files
  std::int64_t memory_limit = 0;  ///< bytes of host memory; 0: what is available

  friend bool operator==(const DensityOptions&, const DensityOptions&) = default;
};

/// What is computed, as bits: a field applies to some of them.
namespace target {
inline constexpr unsigned grid = 1, points = 2, means = 4, draws = 8, search = 16, cloud = 32;
inline constexpr unsigned all = 63;
}  // namespace target

/// A row of the table of fields: the flag, the key of JSON, and the input of a service.
struct DensityField {
  FieldText text;
  std::string_view group{};  ///< title of its flags
  unsigned targets = 0;      ///< 0: it has no flag
  /// Takes a value as a person writes it; empty: the default. Error(usage) where it is wrong.
  std::function<void(DensityOptions&, const std::string&)> set{};
  /// The value as set() takes it; empty where it is the default.
  std::function<std::string(const DensityOptions&)> print{};
  std::string key{};  ///< of JSON; empty: it is not in JSON
  std::function<nlohmann::ordered_json(const DensityOptions&)> put{};
  /// Takes the value of a key that is there; throws what JsonObject::fail() does.
  std::function<void(DensityOptions&, io::JsonObject&, const nlohmann::ordered_json&)> read{};
};

/// All fields, in the order of help pages.
std::span<const DensityField> density_fields();
/// The field of a density on a grid with this name, without dashes.
const DensityField& density_field(std::string_view name);

/// A share of the peak from 0 to 0.1; Error(usage) where the text is anything else.
double parse_tolerance(const std::string& given);
/// The names of "X,Y,Z"; Error(usage) where there are not three.
std::vector<std::string> parse_columns(const std::string& given);

// Options as keys of a JSON object, which may have others beside them. What is put is what comes
// back. Reading leaves a field as it is where its key is missing; a value of another type or range
// is Error(input) that names the object's file and the key.

void put_options(nlohmann::ordered_json& json, const DensityOptions& options);
void read_options(io::JsonObject& object, DensityOptions& options);

}  // namespace skde
