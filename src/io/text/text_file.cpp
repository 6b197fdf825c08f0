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

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace skde::io
