#pragma once

#include <memory>
#include <optional>
#include <string>

#include "service/http/http_message.hpp"

namespace skde::service {

/// Bytes that a range asks for.
struct ByteRange {
  std::uint64_t offset = 0, length = 0;
};
/// What a Range header means for so many bytes.
struct RangeChoice {
  std::optional<ByteRange> range;  ///< empty: all of it
  bool satisfiable = true;
};
/// RFC 9110, one range; a header of several, or one that is none, is passed over, as it allows.
RangeChoice choose_range(std::string_view header, std::uint64_t size);
enum class TagComparison { strong, weak };
/// True where a list as If-None-Match or If-Match holds this tag (RFC 9110, section 8.8.3.2).
bool tag_matches(std::string_view list, std::string_view etag, TagComparison comparison);
/// True where the client has these bytes. Throws Problem (412) where If-Match wants others.
bool is_unchanged(const Request& request, std::string_view etag);

/// A file, the range of it that is asked for, or 304, 412 or 416. `etag` with its quotes.
Response file_response(const Request& request, std::shared_ptr<const OpenFile> file,
                       const std::string& type, const std::string& etag);
Response file_response(const Request& request, const std::string& path, const std::string& type,
                       const std::string& etag);

}  // namespace skde::service
