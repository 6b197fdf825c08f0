#pragma once

#include <span>
#include <string_view>

#include "service/answer/http_message.hpp"

namespace skde::service {

struct EmbeddedFile {
  std::string_view name;  ///< such as "index.html", "assets/view.js"
  std::string_view bytes;
  std::string_view hash;
};
/// Returns the files of the web page, embedded by the build; empty if it was built without the
/// page.
std::span<const EmbeddedFile> embedded_files();

/// Answers a request for a path below /view. Throws Problem (404).
Response page_response(const Request& request);

}  // namespace skde::service
