#include "bench/report/text_lines.hpp"

#include <sstream>
#include <utility>

namespace skde::bench {
namespace {

void remove_last_letter(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

}  // namespace

std::string shortened(std::string text, double room, const TextStyle& style,
                      const TextMeasure& measure) {
  if (measure(text, style) <= room) return text;
  while (!text.empty() && measure(text + "…", style) > room) remove_last_letter(text);
  return text + "…";
}

std::vector<std::string> wrapped(const std::string& text, double room, const TextStyle& style,
                                 std::size_t most, const TextMeasure& measure) {
  std::istringstream words(text);
  std::vector<std::string> lines(1);
  for (std::string word; words >> word;) {
    std::string longer = lines.back().empty() ? word : lines.back() + ' ' + word;
    // The last line takes what is left and is cut.
    if (lines.back().empty() || lines.size() == most || measure(longer, style) <= room)
      lines.back() = std::move(longer);
    else
      lines.push_back(std::move(word));
  }
  for (std::string& line : lines) line = shortened(std::move(line), room, style, measure);
  return lines;
}

}  // namespace skde::bench
