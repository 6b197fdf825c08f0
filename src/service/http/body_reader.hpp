#pragma once

#include <boost/beast/core/error.hpp>
#include <cstdint>
#include <vector>

#include "service/answer/http_message.hpp"

namespace skde::service {

class HttpSession;

/// The part of a connection that reads the bodies of requests to where they belong.
class BodyReader {
 public:
  explicit BodyReader(HttpSession& session) : session_(session) {}
  /// Takes the place of the next body; forgets that of the last one.
  void expect(RequestHandler::BodyPlace place);
  const RequestHandler::BodyPlace& place() const { return place_; }
  /// Has the session answer once the body is complete, or refuses it.
  void read();
  /// Throws Problem (413) if a text is longer than it may be.
  void require_room(std::uint64_t bytes) const;
  /// Forgets where the body goes.
  void close() { place_.sink.reset(); }

 private:
  void arm();
  void on_chunk(boost::beast::error_code problem, std::size_t count);
  void read_straight();
  bool take(const char* bytes, std::size_t count);

  HttpSession& session_;
  RequestHandler::BodyPlace place_;
  std::uint64_t left_ = 0;  ///< bytes still to be read without the parser
  std::vector<char> piece_;
  bool is_timed_ = false;  ///< the body has begun
};

}  // namespace skde::service
