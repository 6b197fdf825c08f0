#pragma once

#include <memory>
#include <optional>
#include <string>

#include "service/answer/http_message.hpp"

namespace skde::service {

/// The bytes that a range selects.
struct ByteRange {
  std::uint64_t offset = 0, length = 0;
};
/// What a Range header selects of a file.
struct RangeChoice {
  std::optional<ByteRange> range;  ///< empty: the whole file
  bool satisfiable = true;
};
/// Reads a Range header with one range (RFC 9110). Ignores a header with several ranges or an
/// invalid one, as the RFC allows.
RangeChoice choose_range(std::string_view header, std::uint64_t size);
enum class TagComparison { strong, weak };
/// Returns true if a list such as If-None-Match or If-Match contains this tag (RFC 9110, section
/// 8.8.3.2).
bool tag_matches(std::string_view list, std::string_view etag, TagComparison comparison);
/// Returns true if the client already has these bytes. Throws Problem (412) if If-Match asks for
/// others.
bool is_unchanged(const Request& request, std::string_view etag);

/// Answers with a file, the requested range of it, or 304, 412 or 416. `etag` includes its quotes.
Response file_response(const Request& request, std::shared_ptr<const OpenFile> file,
                       const std::string& type, const std::string& etag);
Response file_response(const Request& request, const std::string& path, const std::string& type,
                       const std::string& etag);

}  // namespace skde::service
