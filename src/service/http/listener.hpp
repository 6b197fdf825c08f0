#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>
#include <vector>

#include "service/http/http_session.hpp"

namespace skde::service {

/// An address to listen on: "127.0.0.1:8080", "[::1]:0".
struct ListenAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;
  bool is_loopback() const;
};
/// Throws Error(usage) if the text is not an address.
ListenAddress parse_listen_address(const std::string& given);

/// Accepts connections.
class Listener {
 public:
  /// Throws Error(resources) if the address is in use.
  Listener(boost::asio::io_context& context, const ListenAddress& address,
           const HttpSetting& setting);
  void start();
  /// Accepts no more connections; the existing ones end after their current request.
  void stop();
  /// Ends the streams of events, which would not end by themselves.
  void end_streams();
  /// Ends all connections.
  void end_all();
  /// Returns true while a request is being read or answered.
  bool works() const;
  std::uint16_t port() const;

 private:
  void accept();
  void take(boost::asio::ip::tcp::socket socket);
  bool make_room();
  std::vector<std::shared_ptr<HttpSession>> sessions() const;

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  const HttpSetting setting_;
};

/// Sets memory aside for the work in progress when memory runs out: even some destructors, such as
/// those of JSON, allocate memory and must not fail.
void keep_memory_reserve();

/// Sets the memory aside again if it was used. Returns false if there is too little memory; then no
/// large request should begin.
bool refill_memory_reserve();

}  // namespace skde::service
