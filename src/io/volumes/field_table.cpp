#include "io/volumes/field_table.hpp"

#include <algorithm>
#include <string>

#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

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

}  // namespace

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
  if (!name.starts_with(kFieldPrefix)) return std::nullopt;
  Numbers numbers;
  for (const std::string_view word : split_words(text)) {
    double value = 0;
    if (!parse_number(word, value)) return std::nullopt;
    numbers.push_back(value);
  }
  return VolumeField{std::string(name), std::move(numbers)};
}

}  // namespace skde::io
