#include "service/http/file_response.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace skde::service {
namespace {

bool is_weak(std::string_view etag) { return etag.starts_with("W/"); }

}  // namespace

RangeChoice choose_range(std::string_view header, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (lower_case(header.substr(0, kUnit.size())) != kUnit || header.find(',') != header.npos)
    return {};
  const std::string_view range = io::trimmed(header.substr(kUnit.size()));
  const std::size_t dash = range.find('-');
  if (dash == range.npos) return {};
  const auto first = whole_number(range.substr(0, dash)),
             last = whole_number(range.substr(dash + 1));
  if (!first) {  // a suffix range: the last N bytes
    if (dash != 0 || !last) return {};
    if (*last == 0 || size == 0) return {std::nullopt, false};
    const std::uint64_t count = std::min(*last, size);
    return {ByteRange{size - count, count}, true};
  }
  if (!last && dash + 1 != range.size()) return {};
  if (last && *last < *first) return {};
  if (*first >= size) return {std::nullopt, false};
  const std::uint64_t end = last ? std::min(*last, size - 1) : size - 1;
  return {ByteRange{*first, end - *first + 1}, true};
}

bool tag_matches(std::string_view list, std::string_view etag, TagComparison comparison) {
  const bool strong = comparison == TagComparison::strong;
  if (is_weak(etag)) {
    if (strong) return list == "*";
    etag.remove_prefix(2);
  }
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view tag = io::trimmed(list.substr(0, end));
    if (tag == "*") return true;
    if (is_weak(tag) && !strong) tag.remove_prefix(2);
    if (tag == etag) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool is_unchanged(const Request& request, std::string_view etag) {
  const std::string_view wanted = request.header("if-match");
  if (!wanted.empty() && !tag_matches(wanted, etag, TagComparison::strong))
    throw Problem(412, "request", "the bytes must match If-Match, but they have changed");
  return tag_matches(request.header("if-none-match"), etag, TagComparison::weak);
}

Response file_response(const Request& request, const std::string& path, const std::string& type,
                       const std::string& etag) {
  return file_response(request, std::make_shared<const OpenFile>(path), type, etag);
}

Response file_response(const Request& request, std::shared_ptr<const OpenFile> file,
                       const std::string& type, const std::string& etag) {
  Response response;
  response.with("ETag", etag).with("Accept-Ranges", "bytes");
  if (is_unchanged(request, etag)) {
    response.status = 304;
    return response;
  }
  response.file = std::move(file);
  response.length = response.file->size();
  response.with("Content-Type", type);
  const std::string_view condition = request.header("if-range");
  const bool holds = condition.empty() || (io::trimmed(condition) == etag && !is_weak(etag));
  if (request.method != "GET" || !holds) return response;
  const auto [range, satisfiable] = choose_range(request.header("range"), response.length);
  if (!satisfiable)
    throw Problem(416, "request", "the range must begin before the end of the bytes")
        .with("Content-Range", fmt::format("bytes */{}", response.length));
  if (!range) return response;
  response.status = 206;
  response.with("Content-Range", fmt::format("bytes {}-{}/{}", range->offset,
                                             range->offset + range->length - 1, response.length));
  response.offset = range->offset;
  response.length = range->length;
  return response;
}

}  // namespace skde::service
