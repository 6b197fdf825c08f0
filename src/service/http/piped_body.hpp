#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "service/answer/http_message.hpp"

namespace skde::service {

/// A body that a worker writes into a pipe while it is sent; what its client did not take in time
/// follows in a file. The last byte is sent once the run has ended well, so that a body is never
/// complete by mistake.
class PipedBody : public std::enable_shared_from_this<PipedBody> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  /// Opens the pipe in the folder of the run. `length` of the body; 0: the worker writes chunks.
  /// Throws Problem if the worker has made no pipe.
  PipedBody(boost::asio::io_context& context, std::string folder, std::uint64_t length);
  std::uint64_t length() const { return length_; }
  /// The run has ended, and its folder will be removed. Without success the body stays incomplete.
  void end(bool success);
  /// Sends to the socket. Calls `sent` with the number of bytes as they go, and at the end `done`
  /// with whether all went, and the file with those that are left, if there is one.
  void send(Socket& socket, std::function<void(std::uint64_t)> sent,
            std::function<void(bool, std::shared_ptr<const OpenFile>)> done);
  /// Nothing more is sent; the worker notices.
  void close();

 private:
  void send_on();
  void finish(bool whole);
  void wait(auto& end, auto kind);

  boost::asio::posix::stream_descriptor pipe_;
  const std::string folder_;
  std::uint64_t length_, left_;
  bool ended_ = false, success_ = false, waits_for_end_ = false;
  std::shared_ptr<const OpenFile> rest_;
  Socket* socket_ = nullptr;
  std::function<void(std::uint64_t)> sent_;
  std::function<void(bool, std::shared_ptr<const OpenFile>)> done_;
};

}  // namespace skde::service
