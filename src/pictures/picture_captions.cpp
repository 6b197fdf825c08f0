#include "pictures/picture_captions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/points/columns/coordinate_names.hpp"
#include "io/text/text_fields.hpp"

namespace skde {
namespace {

/// Formats as "1,234,567".
std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t end = text.size(); end > 3;) text.insert(end -= 3, 1, ',');
  return text;
}

/// Formats a number of samples or a sum of weights.
std::string quantity(double value) {
  return value >= 1000 && value < 1e15 ? grouped(static_cast<std::uint64_t>(std::llround(value)))
                                       : fmt::format("{:.4g}", value);
}

/// Never 100 % if something lies outside.
std::string percentage(double share) {
  const double percent = 100 * share;
  if (percent > 99.99 && percent < 100 - 1e-5) return "> 99.99 %";
  return fmt::format("{:.4g} %", percent);
}

std::string bandwidth_fact(const DensityMetadata& m) {
  std::string text = m.h > 0 ? fmt::format("h = {:.4g}", m.h)
                             : fmt::format("H diagonal ({:.4g}, {:.4g}, {:.4g}){}", m.H.xx, m.H.yy,
                                           m.H.zz, m.units.empty() ? "" : " " + m.units + "\u00b2");
  if (!m.bandwidth_source.empty()) text += fmt::format(" ({})", m.bandwidth_source);
  return text;
}

std::string normalization_fact(const DensityMetadata& m) {
  if (m.normalization == Normalization::box) return "normalized to 1 in the box";
  if (m.normalization == Normalization::count)
    return fmt::format("normalized to {} over all space", quantity(m.total_weight));
  return "";
}

/// A unit with a power, if the unit is a word that can have one.
std::string unit_of(const std::string& units, const char* power, const std::string& without) {
  if (units.empty()) return without;
  const bool word = std::all_of(units.begin(), units.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) > 127;
  });
  return word ? units + power : without + " in " + units;
}

}  // namespace

std::vector<std::string> picture_facts(const DensityMetadata& m, const Grid& grid) {
  std::vector<std::string> facts;
  if (!is_histogram(m, grid)) {
    facts.push_back(std::string(m.kernel->name) + " kernel");
    facts[0][0] = static_cast<char>(std::toupper(facts[0][0]));
    if (m.h > 0 || m.H.trace() > 0) facts.push_back(bandwidth_fact(m));
  }
  if (m.samples > 0) {
    facts.push_back("N = " + grouped(m.samples));
    facts.push_back("n_eff = " + quantity(m.effective_samples));
    if (m.values.empty() && m.mass_in_box > 0)
      facts.push_back(percentage(m.mass_in_box) + " of the mass in the box");
  }
  if (const std::string fact = normalization_fact(m); m.values.empty() && !fact.empty())
    facts.push_back(fact);
  facts.push_back(
      fmt::format("{} \u00d7 {} \u00d7 {} cells", grid.dims[0], grid.dims[1], grid.dims[2]));
  return facts;
}

std::string axis_name(const DensityMetadata& metadata, std::size_t axis) {
  const std::string& name = metadata.axis_names[axis];
  return name.empty() ? std::string(1, kAxisNames[axis]) : name;
}

std::size_t axis_called(const std::string& word, const DensityMetadata& metadata,
                        const char* parameter) {
  std::string known;
  for (const bool by_name : {false, true})
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string own(1, kAxisNames[axis]);
      const std::string name = by_name ? axis_name(metadata, axis) : own;
      if (io::lower_case(name) == io::lower_case(word)) return axis;
      if (by_name)
        known += fmt::format("{}{}{}", known.empty() ? "" : ", ", own,
                             name == own ? "" : fmt::format(" ({})", name));
    }
  throw Error(ErrorKind::usage, fmt::format("the volume has no axis '{}'", word),
              {parameter, "use one of its axes: " + known});
}

std::array<bool, 3> drawn_flips(const std::optional<std::array<bool, 3>>& given,
                                const std::string& z, const Box& box) {
  return given.value_or(std::array{false, false, io::is_depth_name(z) && box.centre().z > 0});
}

std::array<bool, 3> drawn_flips(const PictureLook& look, const DensityMetadata& metadata,
                                const Box& box) {
  std::optional<std::array<bool, 3>> given;
  if (!look.flipped.empty()) given.emplace(std::array<bool, 3>{});
  for (const std::string& word : look.flipped)
    if (word != "none" || look.flipped.size() > 1)
      (*given)[axis_called(word, metadata, "flip")] = true;
  return drawn_flips(given, axis_name(metadata, 2), box);
}

std::string picture_title(const DensityMetadata& metadata, const Grid& grid) {
  if (!metadata.values.empty()) return "Values of " + metadata.values;
  return is_histogram(metadata, grid) ? "Histogram" : "Kernel density";
}

std::string quantity_name(const DensityMetadata& metadata) {
  if (!metadata.values.empty()) return metadata.values;
  return metadata.normalization == Normalization::count ? "count" : "density";
}

std::string quantity_unit(const DensityMetadata& metadata) {
  if (!metadata.values.empty()) return "";
  return unit_of(metadata.units, "\u207b\u00b3", "per unit volume");
}

std::string line_integral_unit(const DensityMetadata& metadata) {
  if (!metadata.values.empty()) return "";
  return unit_of(metadata.units, "\u207b\u00b2", "per unit area");
}

std::string letters_without(
    std::string_view text,
    const std::function<bool(const std::string& letter, unsigned code)>& has) {
  std::string missing;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const std::string letter(text.substr(i, bytes));
    unsigned code = bytes == 1 ? lead : lead & (0xffU >> (bytes + 1));
    for (std::size_t k = 1; k < letter.size(); ++k)
      code = code << 6 | (static_cast<unsigned char>(letter[k]) & 0x3fU);
    if (!has(letter, code) && missing.find(letter) == missing.npos)
      missing += fmt::format("{}{} (U+{:04X})", missing.empty() ? "" : ", ", letter, code);
    i += bytes;
  }
  return missing;
}

}  // namespace skde
