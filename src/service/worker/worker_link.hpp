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

/// The service's end of a worker: a process of this program, connected by a socket. It is pinged
/// every second. A worker that does not answer for long, or sends a line that is not a message, is
/// killed.
class WorkerLink : public std::enable_shared_from_this<WorkerLink> {
 public:
  struct Events {
    std::function<void(const nlohmann::ordered_json&)> message;
    std::function<void(const std::string& why)> end;  ///< such as "signal 11 (Segmentation fault)"
  };

  explicit WorkerLink(boost::asio::io_context& context);
  ~WorkerLink();
  /// Starts the process in this folder. `role`: "planner", "cpu", or the number of a GPU. It ends
  /// at once if the system allows no more processes or descriptors.
  void start(Events events, const std::string& role, const std::string& folder);
  void send(const nlohmann::ordered_json& json);
  /// Ends the process without asking.
  void kill();
  pid_t process() const { return process_; }
  /// Returns false if it has not answered for some seconds: it is stopped, or the machine hangs.
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
  int unanswered_ = 0;       ///< consecutive unanswered pings
  bool has_spoken_ = false;  ///< since its start
  std::string reason_;       ///< why the link ended it, if it did
};

}  // namespace skde::service
