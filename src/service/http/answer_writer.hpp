#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "service/answer/http_message.hpp"
#include "service/http/traffic.hpp"

namespace skde::service {

/// The part of a connection that writes its answers, each once.
class AnswerWriter {
 public:
  enum class State {
    waits,     ///< there is no answer yet
    answers,   ///< or has answered
    streams,   ///< sends events
    winds_up,  ///< sends the last events
    lingers    ///< has sent its last answer
  };
  /// What the request says about the form of its answer.
  struct Mode {
    bool keeps_alive = true;
    bool head_only = false;
    bool is_old = false;  ///< HTTP/1.0, which has to be told that the connection stays open
  };

  explicit AnswerWriter(HttpSession& session) : session_(session) {}
  ~AnswerWriter();
  AnswerWriter(const AnswerWriter&) = delete;
  AnswerWriter& operator=(const AnswerWriter&) = delete;

  State state() const { return state_; }
  Mode& mode() { return mode_; }
  /// Forgets the last answer, as another request comes.
  void expect();
  /// Keeps what the log tells, as the handlers get the request.
  void note(const Request& request);
  /// Only the first answer to a request is sent.
  void respond(Response response);
  /// Sends the events that are pending, and ends the stream.
  void end_stream();
  /// Writes the line of a request that has been answered, or whose client is gone.
  void log();
  void stop();

 private:
  void write_head();
  void write(const auto& buffers, void (AnswerWriter::*then)());
  void after_head();
  void send_file();
  void send_parts();
  void finish();
  void drain();
  void watch();
  void send_events();
  void after_events();
  void expect_keep_alive();

  HttpSession& session_;
  State state_ = State::waits;
  Mode mode_;
  AccessEntry access_;
  Response response_;
  std::size_t part_ = 0;  ///< index of the part that is being sent
  std::uint64_t sent_of_part_ = 0;
  std::string text_;  ///< that is being sent
  bool sending_ = false;
  bool watches_ = false;  ///< is counted as a watcher
  std::unique_ptr<boost::asio::steady_timer> comment_;
};

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
