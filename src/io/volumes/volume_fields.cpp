#include "io/volumes/volume_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/kernel/with_profile.hpp"
#include "core/report/error.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

using Numbers = std::vector<double>;

constexpr std::string_view kLowerCorner = "lower_corner", kCellSize = "cell_size";

/// A field that holds one text, one number or several numbers of the metadata.
struct FieldRow {
  std::string_view name;
  std::size_t numbers;  ///< how many numbers; 0: a text
  void (*get)(const DensityMetadata& from, VolumeField& to);
  void (*set)(DensityMetadata& to, const VolumeField& from);
};

const std::string& text(const VolumeField& field) { return std::get<std::string>(field.value); }
double number(const VolumeField& field) { return std::get<Numbers>(field.value)[0]; }

template <auto Member>
constexpr FieldRow text_row(std::string_view name) {
  return {name, 0, [](const DensityMetadata& from, VolumeField& to) { to.value = from.*Member; },
          [](DensityMetadata& to, const VolumeField& from) { to.*Member = text(from); }};
}

template <auto Member>
constexpr FieldRow number_row(std::string_view name) {
  return {name, 1,
          [](const DensityMetadata& from, VolumeField& to) {
            to.value = Numbers{static_cast<double>(from.*Member)};
          },
          [](DensityMetadata& to, const VolumeField& from) {
            using Type = std::decay_t<decltype(to.*Member)>;
            const double value = number(from);
            if (value >= 0 && value < 0x1p63) to.*Member = static_cast<Type>(value);
          }};
}

constexpr FieldRow kKernelRow{
    "kernel", 0,
    [](const DensityMetadata& from, VolumeField& to) { to.value = std::string(from.kernel->name); },
    [](DensityMetadata& to, const VolumeField& from) {
      for (const KernelFunction function : kKernelFunctions)
        if (function->name == text(from)) to.kernel = function;
    }};

constexpr FieldRow kNormalizationRow{
    "normalization", 0,
    [](const DensityMetadata& from, VolumeField& to) {
      to.value = std::string(word_of(kNormalizations, from.normalization));
    },
    [](DensityMetadata& to, const VolumeField& from) {
      for (const auto& [name, value] : kNormalizations)
        if (name == text(from)) to.normalization = value;
    }};

/// Absent if values are those at centres, as in files without the field.
constexpr FieldRow kCellsRow{"cells", 0,
                             [](const DensityMetadata& from, VolumeField& to) {
                               to.value = std::string(from.cells == CellValue::mean ? "mean" : "");
                             },
                             [](DensityMetadata& to, const VolumeField& from) {
                               if (text(from) == "mean") to.cells = CellValue::mean;
                             }};

/// Absent if the box has no boundaries.
constexpr FieldRow kBoundaryRow{
    "boundary", 0,
    [](const DensityMetadata& from, VolumeField& to) {
      to.value = has_boundary(from.boundaries) ? boundaries_text(from.boundaries) : std::string();
    },
    [](DensityMetadata& to, const VolumeField& from) {
      try {
        to.boundaries = parse_boundaries(text(from));
      } catch (const Error&) {  // text of another program
      }
    }};

template <std::size_t Axis>
constexpr FieldRow axis_name_row(std::string_view name) {
  return {name, 0,
          [](const DensityMetadata& from, VolumeField& to) { to.value = from.axis_names[Axis]; },
          [](DensityMetadata& to, const VolumeField& from) { to.axis_names[Axis] = text(from); }};
}

constexpr FieldRow kMatrixRow{"H", 6,
                              [](const DensityMetadata& from, VolumeField& to) {
                                const Symmetric3& H = from.H;
                                to.value = Numbers{H.xx, H.xy, H.xz, H.yy, H.yz, H.zz};
                              },
                              [](DensityMetadata& to, const VolumeField& from) {
                                const Numbers& v = std::get<Numbers>(from.value);
                                to.H = {v[0], v[1], v[2], v[3], v[4], v[5]};
                              }};

/// Limit for all warnings together, in bytes. Heads that are written first and completed last
/// reserve this much space.
constexpr std::size_t kMostWarningBytes = 600;

constexpr FieldRow kWarningsRow{
    "warnings", 0,
    [](const DensityMetadata& from, VolumeField& to) {
      to.value = fmt::format("{}", fmt::join(from.warnings, "; ")).substr(0, kMostWarningBytes);
    },
    [](DensityMetadata& to, const VolumeField& from) { to.warnings = {text(from)}; }};

using M = DensityMetadata;
constexpr std::array kFieldRows{kKernelRow,
                                kMatrixRow,
                                number_row<&M::h>("h"),
                                text_row<&M::bandwidth_source>("bandwidth_source"),
                                number_row<&M::adaptive>("adaptive"),
                                number_row<&M::sharpened>("sharpened"),
                                number_row<&M::samples>("samples"),
                                number_row<&M::total_weight>("total_weight"),
                                number_row<&M::effective_samples>("effective_samples"),
                                number_row<&M::mass_in_box>("mass_in_box"),
                                number_row<&M::error_bound>("error_bound"),
                                number_row<&M::measured_error>("measured_error"),
                                number_row<&M::measured_cells>("measured_cells"),
                                kNormalizationRow,
                                kBoundaryRow,
                                kCellsRow,
                                text_row<&M::category>("category"),
                                number_row<&M::category_share>("category_share"),
                                text_row<&M::frame>("frame"),
                                text_row<&M::where>("where"),
                                text_row<&M::units>("units"),
                                axis_name_row<0>("x_name"),
                                axis_name_row<1>("y_name"),
                                axis_name_row<2>("z_name"),
                                text_row<&M::values>("values"),
                                text_row<&M::engine>("engine"),
                                text_row<&M::command_line>("command_line"),
                                text_row<&M::version>("skde_version"),
                                kWarningsRow};

const FieldRow* find_row(std::string_view name) {
  const auto* const row = std::ranges::find(kFieldRows, name, &FieldRow::name);
  return row == kFieldRows.end() ? nullptr : row;
}

/// How many numbers the field of this name has; 0 for a text, unset for an unknown name.
std::optional<std::size_t> numbers_of(std::string_view name) {
  if (name == kLowerCorner || name == kCellSize) return 3;
  const FieldRow* const row = find_row(name);
  return row ? std::optional(row->numbers) : std::nullopt;
}

/// Returns true if the value has the type and the length that the name demands.
bool is_well_formed(const VolumeField& field) {
  const std::optional<std::size_t> count = numbers_of(field.name);
  if (!count) return false;
  if (*count == 0) return std::holds_alternative<std::string>(field.value);
  const Numbers* const numbers = std::get_if<Numbers>(&field.value);
  return numbers && numbers->size() == *count &&
         std::ranges::all_of(*numbers, [](double v) { return std::isfinite(v); });
}

std::optional<Vec3> vector_field(const VolumeFields& fields, std::string_view name) {
  for (const VolumeField& field : fields) {
    if (field.name != name || !is_well_formed(field)) continue;
    const Numbers& v = std::get<Numbers>(field.value);
    return Vec3{v[0], v[1], v[2]};
  }
  return std::nullopt;
}

void add_grid_fields(VolumeFields& fields, const Grid& grid) {
  const Vec3 &lower = grid.lower, &size = grid.spacing;
  fields.push_back({std::string(kLowerCorner), Numbers{lower.x, lower.y, lower.z}});
  fields.push_back({std::string(kCellSize), Numbers{size.x, size.y, size.z}});
}

/// Returns true if the field applies to such a volume.
bool is_told(std::string_view name, const DensityMetadata& metadata) {
  // For a volume of another program only the units are known.
  if (name == "units") return true;
  if (metadata.samples == 0 && metadata.version.empty()) return false;
  if (metadata.values.empty()) return true;
  // Means of sample values have kernels and samples, but are not a density.
  if (metadata.samples > 0)
    return name != "normalization" && name != "mass_in_box" && name != "error_bound" &&
           !name.starts_with("measured");
  // A volume computed from densities has neither kernel nor samples.
  return name.ends_with("_name") || name == "values" || name == "command_line" ||
         name == "skde_version" || name == "warnings";
}

constexpr std::string_view kFieldPrefix = "fields_";

using Numbers = std::vector<double>;

/// The numeric fields in which densities on one grid can differ, with the longest possible numbers.
VolumeFields longest_row(const Grid& grid) {
  VolumeFields rows;
  for (VolumeField& field : longest_fields({}, grid))
    if (std::holds_alternative<Numbers>(field.value) && field.name != "lower_corner" &&
        field.name != "cell_size")
      rows.push_back(std::move(field));
  return rows;
}

const Numbers* numbers_named(const VolumeFields& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &VolumeField::name);
  return found == fields.end() ? nullptr : std::get_if<Numbers>(&found->value);
}

/// Returns the numbers of a text; nothing if it has anything else.
std::optional<Numbers> parsed_numbers(std::string_view text) {
  Numbers numbers;
  for (const std::string_view word : split_words(text)) {
    double value = 0;
    if (!parse_number(word, value)) return std::nullopt;
    numbers.push_back(value);
  }
  return numbers;
}

}  // namespace

VolumeFields fields_of(const DensityMetadata& metadata, const Grid& grid) {
  VolumeFields fields;
  for (const FieldRow& row : kFieldRows) {
    if (!is_told(row.name, metadata)) continue;
    VolumeField field{std::string(row.name), {}};
    row.get(metadata, field);
    if (row.name.starts_with("measured") && metadata.measured_cells == 0) continue;
    const bool may_lack = row.name == "h" || row.name == "adaptive" || row.name == "sharpened" ||
                          row.name == "category_share";
    const bool unknown = row.numbers == 0 ? text(field).empty() : may_lack && number(field) <= 0;
    if (!unknown) fields.push_back(std::move(field));
  }
  add_grid_fields(fields, grid);
  return fields;
}

VolumeFields longest_fields(const DensityMetadata& expected, const Grid& grid) {
  constexpr double kLongest = -2.2250738585072014e-308;  // 24 characters
  VolumeFields fields;
  for (const FieldRow& row : kFieldRows) {
    VolumeField field{std::string(row.name), Numbers(row.numbers, kLongest)};
    if (row.numbers == 0) row.get(expected, field);
    // Warnings are known last. '&' takes the most space, because some formats escape it.
    if (row.name == kWarningsRow.name) field.value = std::string(kMostWarningBytes, '&');
    if (row.numbers > 0 || !text(field).empty()) fields.push_back(std::move(field));
  }
  add_grid_fields(fields, grid);
  return fields;
}

std::string field_text(const VolumeField& field, std::string_view separator) {
  if (const Numbers* const numbers = std::get_if<Numbers>(&field.value))
    return fmt::format("{}", fmt::join(*numbers, separator));
  return text(field);
}

std::optional<VolumeField> field_from_text(std::string_view name, std::string_view text) {
  const std::optional<std::size_t> count = numbers_of(name);
  if (!count) return std::nullopt;
  VolumeField field{std::string(name), std::string(text)};
  if (*count > 0) {
    std::optional<Numbers> numbers = parsed_numbers(text);
    if (!numbers) return std::nullopt;
    field.value = std::move(*numbers);
  }
  return is_well_formed(field) ? std::optional(std::move(field)) : std::nullopt;
}

DensityMetadata metadata_from(const VolumeFields& fields) {
  DensityMetadata metadata;
  for (const VolumeField& field : fields) {
    const FieldRow* const row = find_row(field.name);
    if (row && is_well_formed(field)) row->set(metadata, field);
  }
  return metadata;
}

std::optional<Vec3> cell_size_in(const VolumeFields& fields) {
  return vector_field(fields, kCellSize);
}

std::optional<Grid> grid_in(const VolumeFields& fields, const std::array<std::int64_t, 3>& dims) {
  const std::optional<Vec3> lower = vector_field(fields, kLowerCorner);
  const std::optional<Vec3> size = vector_field(fields, kCellSize);
  if (!lower || !size || !(size->x > 0) || !(size->y > 0) || !(size->z > 0)) return std::nullopt;
  return Grid{*lower, *size, dims};
}

Grid exact_grid(const Grid& grid, const VolumeFields& fields) {
  const std::optional<Grid> exact = grid_in(fields, grid.dims);
  if (!exact) return grid;
  constexpr double kAgreement = 1e-4;  // share of a cell, over the whole side; formats may store
                                       // floats
  for (int axis = 0; axis < 3; ++axis) {
    const auto cells = static_cast<double>(grid.dims[static_cast<std::size_t>(axis)]);
    const double most = kAgreement * grid.spacing[axis];
    if (!(std::abs(exact->lower[axis] - grid.lower[axis]) <= most) ||
        !(std::abs(exact->spacing[axis] - grid.spacing[axis]) * cells <= most))
      return grid;
  }
  return *exact;
}

VolumeFields field_table(const std::vector<DensityMetadata>& metadata, const Grid& grid) {
  VolumeFields table = longest_row(grid);
  for (VolumeField& row : table) {
    const std::size_t count = std::get<Numbers>(row.value).size();
    Numbers all;
    all.reserve(count * metadata.size());
    for (const DensityMetadata& one : metadata) {
      const VolumeFields fields = fields_of(one, grid);
      const Numbers* const numbers = numbers_named(fields, row.name);
      for (std::size_t i = 0; i < count; ++i) all.push_back(numbers ? (*numbers)[i] : 0);
    }
    row = {std::string(kFieldPrefix).append(row.name), std::move(all)};
  }
  return table;
}

VolumeFields longest_field_table(std::size_t fields, const Grid& grid) {
  VolumeFields table = longest_row(grid);
  for (VolumeField& row : table) {
    const Numbers& longest = std::get<Numbers>(row.value);
    row = {std::string(kFieldPrefix).append(row.name),
           Numbers(longest.size() * fields, longest[0])};
  }
  return table;
}

VolumeFields fields_of_one(const VolumeFields& common, const VolumeFields& table, std::size_t field,
                           std::size_t fields) {
  VolumeFields one = common;
  for (const VolumeField& row : table) {
    const Numbers& all = std::get<Numbers>(row.value);
    if (fields == 0 || all.size() % fields != 0) continue;
    const auto count = static_cast<std::ptrdiff_t>(all.size() / fields);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(field) * count;
    const std::string name = row.name.substr(kFieldPrefix.size());
    std::erase_if(one, [&](const VolumeField& other) { return other.name == name; });
    one.push_back({name, Numbers(first, first + count)});
  }
  return one;
}

std::optional<VolumeField> table_row_from_text(std::string_view name, std::string_view text) {
  std::optional<Numbers> numbers = parsed_numbers(text);
  if (!name.starts_with(kFieldPrefix) || !numbers) return std::nullopt;
  return VolumeField{std::string(name), std::move(*numbers)};
}

}  // namespace skde::io
