#pragma once

#include <span>
#include <string_view>

#include "service/http/http_message.hpp"

namespace skde::service {

struct EmbeddedFile {
  std::string_view name;  ///< "index.html", "assets/view.js"
  std::string_view bytes;
  std::string_view hash;
};
/// The page for browsers, which the build makes a source of; empty where it was left out.
std::span<const EmbeddedFile> embedded_files();

/// What lies below /view. Throws Problem (404).
Response page_response(const Request& request);

}  // namespace skde::service
