#include "io/points/clouds/las_units.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "io/text_fields.hpp"

namespace skde::io {
namespace {

constexpr const char *kMetre = "m", *kFoot = "ft", *kSurveyFoot = "US_survey_foot";

struct Units {
  std::string horizontal, vertical;
};

std::uint64_t whole_at(std::string_view bytes, std::size_t offset) {
  return static_cast<unsigned char>(bytes[offset]) |
         std::uint64_t{static_cast<unsigned char>(bytes[offset + 1])} << 8;
}

std::string unit_of_code(std::uint64_t code) {
  switch (code) {
    case 9001:
      return kMetre;
    case 9002:
      return kFoot;
    case 9003:
      return kSurveyFoot;
    default:
      return "";
  }
}

/// GeoTIFF key directory: keys of four numbers each, of which the first holds their count.
Units units_in_keys(std::string_view keys) {
  constexpr std::uint64_t kModel = 1024, kGeographic = 2, kLinearUnits = 3076, kVertical = 4099;
  constexpr std::size_t kRecordBytes = 8;
  Units units;
  if (keys.size() < kRecordBytes) return units;
  const std::size_t count =
      std::min<std::size_t>(whole_at(keys, 6), keys.size() / kRecordBytes - 1);
  for (std::size_t i = 1; i <= count; ++i) {
    const std::uint64_t key = whole_at(keys, kRecordBytes * i),
                        value = whole_at(keys, kRecordBytes * i + 6);
    const bool stands_here = whole_at(keys, kRecordBytes * i + 2) == 0;
    if (!stands_here) continue;
    if (key == kModel && value == kGeographic) units.horizontal = "degrees";
    if (key == kLinearUnits) units.horizontal = unit_of_code(value);
    if (key == kVertical) units.vertical = unit_of_code(value);
  }
  return units;
}

std::string unit_of_name(std::string_view name) {
  const std::string low = lower_case(name);
  if (low.starts_with("met")) return kMetre;
  const bool foot = low.find("foot") != low.npos || low.find("feet") != low.npos || low == "ft";
  if (foot) return low.find("us") != low.npos || low.find("u.s") != low.npos ? kSurveyFoot : kFoot;
  return low.starts_with("degree") ? "degrees" : "";
}

/// The unit that belongs directly to a node of the text, not to a nested node.
std::string unit_of_node(std::string_view text, std::string_view node) {
  const std::size_t begin = text.find(node);
  if (begin == text.npos) return "";
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted) continue;
    constexpr std::string_view kUnit = "UNIT[\"";
    if (depth == 1 && text.substr(i).starts_with(kUnit)) {
      const std::string_view name = text.substr(i + kUnit.size());
      return unit_of_name(name.substr(0, name.find('"')));
    }
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    if (depth == 0 && text[i] == ']') break;
  }
  return "";
}

Units units_in_text(std::string_view text) {
  Units units{unit_of_node(text, "PROJCS["), unit_of_node(text, "VERT_CS[")};
  const bool projected = text.find("PROJCS[") != text.npos;
  if (!projected && text.find("GEOGCS[") != text.npos)
    units.horizontal = unit_of_node(text, "GEOGCS[");
  return units;
}

}  // namespace

void each_las_record(
    std::string_view records, std::uint64_t count,
    const std::function<void(std::string_view, std::uint64_t, std::string_view)>& take) {
  constexpr std::size_t kHead = 54;
  for (; count > 0 && records.size() >= kHead; --count) {
    const auto bytes = static_cast<std::size_t>(whole_at(records, 20));
    const std::string_view owner = records.substr(2, 16);
    take(owner.substr(0, owner.find('\0')), whole_at(records, 18), records.substr(kHead, bytes));
    records.remove_prefix(std::min(records.size(), kHead + bytes));
  }
}

std::array<std::string, 3> las_units(std::string_view records, std::uint64_t count) {
  constexpr std::uint64_t kKeys = 34735, kText = 2112;
  Units units;
  each_las_record(records, count, [&](auto owner, std::uint64_t number, auto content) {
    if (owner != "LASF_Projection") return;
    if (number == kKeys) units = units_in_keys(content);
    if (number == kText) units = units_in_text(content);
  });
  if (units.vertical.empty() && units.horizontal != "degrees") units.vertical = units.horizontal;
  return {units.horizontal, units.horizontal, units.vertical};
}

}  // namespace skde::io
