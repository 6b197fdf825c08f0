#include "cli/text/terminal_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

namespace skde::cli {
namespace {

/// Returns the bytes of the UTF-8 character at the front; 0 if there is none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first < 0xc2   ? 0
                            : first < 0xe0 ? 2
                            : first < 0xf0 ? 3
                            : first < 0xf5 ? 4
                                           : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  return overlong || surrogate || (first == 0xf4 && second >= 0x90) ? 0 : bytes;
}

/// Returns whether this is a control character of ASCII, or of U+0080 to U+009F, which some
/// terminals obey as well.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

void append_escaped(std::string& shown, std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n')
      shown += "\\n";
    else if (c == '\r')
      shown += "\\r";
    else if (c == '\t')
      shown += "\\t";
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(bytes, 1));
    if (bytes == 0 || is_control(character))
      append_escaped(shown, character);
    else
      shown += character;
    text.remove_prefix(character.size());
  }
  return shown;
}

std::string printable_line(std::string_view text) {
  constexpr std::size_t kMost = 8192, kEnd = 1024;  // a path may have 4096 bytes
  if (text.size() <= kMost) return printable(text);
  return fmt::format("{} [... {} bytes ...] {}", printable(text.substr(0, kEnd)),
                     text.size() - 2 * kEnd, printable(text.substr(text.size() - kEnd)));
}

void tell(std::string_view text) noexcept {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace skde::cli
