#pragma once

#include <string>
#include <string_view>

namespace skde::bench {

/// Text with the characters written out that mean something in HTML, also within quotation marks.
std::string html_escaped(std::string_view text);

}  // namespace skde::bench
