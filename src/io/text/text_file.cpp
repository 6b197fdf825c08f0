#include "io/text/text_file.hpp"

#include <fmt/core.h>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"

namespace skde::io {

std::string read_text(const std::string& path, const OpenFiles& files) {
  const Error unread(ErrorKind::input,
                     fmt::format("{}: cannot be read; check the path and the permissions", path));
  try {
    BufferedSource source(files.source(path));
    return read_whole(source, unread);
  } catch (const Error&) {
    throw unread;
  }
}

void write_text(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

std::string csv_field(const std::string& text, std::string_view quoted_for) {
  if (text.find_first_of(quoted_for) == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace skde::io
