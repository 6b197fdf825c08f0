#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <string_view>

#include "core/report/error.hpp"
#include "service/answer/http_message.hpp"
#include "service/http/file_response.hpp"
#include "service/http/request_parts.hpp"
#include "service/jobs/execution_request.hpp"

namespace {

namespace http = boost::beast::http;
using namespace skde::service;

/// Reads everything that any handler would read of a request.
void read_all(const http::request<http::string_body>& message) {
  Request request;
  request.method = std::string(message.method_string());
  for (const auto& field : message)
    request.headers[lower_case(std::string(field.name_string()))] = std::string(field.value());
  choose_range(request.header("range"), 1000);
  tag_matches(request.header("if-none-match"), "\"a\"", skde::service::TagComparison::weak);
  read_preferences(request.header("prefer"));
  decoded_base64(request.header("upload-metadata"));
  try {
    read_target(std::string(message.target()), request);
    const auto json = parse_json(message.body());
    for (const Process& process : process_table()) {
      try {
        const ExecutionRequest execution = read_execution(process, json);
        read_execution(process, parse_json(execution_text(execution)));
      } catch (const Problem&) {
      } catch (const nlohmann::json::type_error& error) {
        if (error.id != 316) throw;  // text that is not UTF-8, which dump() refuses
      }
    }
  } catch (const Problem&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  http::request_parser<http::string_body> parser;
  parser.header_limit(16384);
  parser.body_limit(std::uint64_t{1} << 20);
  parser.eager(true);
  boost::beast::error_code problem;
  parser.put(boost::asio::buffer(bytes, count), problem);
  if (parser.is_header_done()) read_all(parser.get());
  return 0;
}
