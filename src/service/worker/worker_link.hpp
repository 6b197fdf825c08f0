#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace skde::service {

/// The service's side of a worker: a process of this program at the other end of a socket. It is
/// asked every second whether it is there. One that does not say so for long is ended, and so is
/// one that sends a line that is no message.
class WorkerLink : public std::enable_shared_from_this<WorkerLink> {
 public:
  struct Events {
    std::function<void(const nlohmann::ordered_json&)> message;
    std::function<void(const std::string& why)> end;  ///< "signal 11 (Segmentation fault)"
  };

  explicit WorkerLink(boost::asio::io_context& context);
  ~WorkerLink();
  /// Starts the process in this folder. Error(resources) where the system has no more of them.
  /// `role`: "planner", "cpu", or the number of a GPU.
  void start(Events events, const std::string& role, const std::string& folder);
  void send(const nlohmann::ordered_json& json);
  /// Ends it without asking.
  void kill();
  pid_t process() const { return process_; }
  /// False where it has not answered for some seconds: it is stopped, or the machine stands still.
  bool answers() const;

 private:
  void read();
  void take_lines();
  bool take_line(std::string_view line);
  void write();
  void beat();
  void end_as(const std::string& reason);
  void on_end();

  boost::asio::local::stream_protocol::socket socket_;
  boost::asio::steady_timer beat_;
  pid_t process_ = -1;
  Events events_;
  std::string text_;
  std::vector<char> piece_;
  std::deque<std::string> out_;
  int unanswered_ = 0;       ///< questions in a row whether it is there
  bool has_spoken_ = false;  ///< since it was started
  std::string reason_;       ///< why it was ended, where the link did that
};

}  // namespace skde::service
