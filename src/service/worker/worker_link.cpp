#include "service/worker/worker_link.hpp"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <utility>

#include "io/text/json_object.hpp"

namespace skde::service {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

constexpr std::chrono::seconds kBeat{1};
/// A worker answers on a separate thread even while it computes. If it does not answer, it has been
/// stopped, or its memory is swapped to a slow disk.
constexpr int kMostUnanswered = 8;
/// Limit until the first message, as the worker loads the libraries and starts the GPU.
constexpr int kMostBeforeFirst = 60;
constexpr int kUnansweredOfSick = 3;
/// Most bytes of a message; results of megabytes are in files.
constexpr std::size_t kLongestMessage = std::size_t{256} << 20;

std::string end_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

/// Runs in the new process, in which only its end of the socket stays open.
[[noreturn]] void become_worker(int socket, const char* role, const char* folder) {
  dup2(socket, kWorkerSocket);
  close_range(kWorkerSocket + 1, ~0U, 0);
  if (chdir(folder) != 0) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execl("/proc/self/exe", "skde-serve", "--worker", role, static_cast<char*>(nullptr));
  _exit(127);
}

/// The service's end of a worker. It is pinged every second. A worker that does not answer for
/// long, or sends a line that is not a message, is killed.
class WorkerLink final : public Worker, public std::enable_shared_from_this<WorkerLink> {
 public:
  explicit WorkerLink(asio::io_context& context)
      : socket_(context), beat_(context), piece_(65536) {}
  ~WorkerLink() override;
  void start(Events events, const std::string& role, const std::string& folder);
  void send(const nlohmann::ordered_json& json) override;
  void kill() override;
  bool answers() const override { return process_ > 0 && unanswered_ < kUnansweredOfSick; }

 private:
  void read();
  void take_lines();
  bool take_line(std::string_view line);
  void write();
  void beat();
  void end_as(const std::string& reason);
  void on_end();

  asio::local::stream_protocol::socket socket_;
  asio::steady_timer beat_;
  pid_t process_ = -1;
  Events events_;
  std::string text_;
  std::vector<char> piece_;
  std::deque<std::string> out_;
  int unanswered_ = 0;       ///< consecutive unanswered pings
  bool has_spoken_ = false;  ///< since its start
  std::string reason_;       ///< why the link ended it, if it did
};

WorkerLink::~WorkerLink() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  end_of(process_);
}

void WorkerLink::start(Events events, const std::string& role, const std::string& folder) {
  events_ = std::move(events);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) {
    process_ = fork();
    if (process_ == 0) become_worker(ends[1], role.c_str(), folder.c_str());
    close(ends[1]);
    socket_.assign(asio::local::stream_protocol(), ends[0]);
  }
  if (process_ < 0)
    return asio::post(socket_.get_executor(), [end = events_.end] { end("a lack of resources"); });
  read();
  beat();
}

/// Counts unanswered pings instead of time, so that a service that was itself suspended ends no
/// worker.
void WorkerLink::beat() {
  beat_.expires_after(kBeat);
  beat_.async_wait([weak = weak_from_this()](ErrorCode problem) {
    const auto self = weak.lock();
    if (problem || !self || self->process_ <= 0) return;
    if (self->unanswered_ >= (self->has_spoken_ ? kMostUnanswered : kMostBeforeFirst))
      return self->end_as(fmt::format("it did not answer for {} s", self->unanswered_));
    ++self->unanswered_;
    self->send({{"ping", true}});
    self->beat();
  });
}

void WorkerLink::end_as(const std::string& reason) {
  if (reason_.empty()) reason_ = reason;
  kill();
}

void WorkerLink::send(const nlohmann::ordered_json& json) {
  if (process_ <= 0) return;
  out_.push_back(io::json_line(json) + '\n');
  if (out_.size() == 1) write();
}

void WorkerLink::write() {
  asio::async_write(socket_, asio::buffer(out_.front()),
                    [self = shared_from_this()](ErrorCode problem, std::size_t) {
                      if (problem) return;  // the reading side reports the end
                      self->out_.pop_front();
                      if (!self->out_.empty()) self->write();
                    });
}

void WorkerLink::kill() {
  if (process_ > 0) ::kill(process_, SIGKILL);
}

void WorkerLink::read() {
  socket_.async_read_some(asio::buffer(piece_),
                          [self = shared_from_this()](ErrorCode problem, std::size_t count) {
                            if (problem) return self->on_end();
                            self->unanswered_ = 0;
                            self->has_spoken_ = true;
                            try {
                              self->text_.append(self->piece_.data(), count);
                              self->take_lines();
                            } catch (const std::bad_alloc&) {
                              self->end_as("there was not enough memory for its message");
                            }
                            self->read();
                          });
}

void WorkerLink::take_lines() {
  std::size_t begin = 0;
  for (std::size_t end = text_.find('\n'); end != text_.npos; end = text_.find('\n', begin)) {
    if (!take_line(std::string_view(text_).substr(begin, end - begin)))
      end_as("it sent an invalid message");
    begin = end + 1;
  }
  text_.erase(0, begin);
  if (text_.size() > kLongestMessage) end_as("it sent a message that is too long");
}

/// Returns false if the line is not a message. The worker is then ended, as its answer might never
/// come.
bool WorkerLink::take_line(std::string_view line) {
  if (!reason_.empty()) return true;  // it is ending
  auto json = io::json_if_valid(line);
  if (!json.is_object()) return false;
  if (json.contains("pong")) return true;
  try {
    if (events_.message) events_.message(json);
  } catch (const nlohmann::json::exception&) {  // a member has the wrong type
    return false;
  }
  return true;
}

void WorkerLink::on_end() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);  // it may have closed only its socket
  std::string why = end_of(std::exchange(process_, -1));
  if (!reason_.empty()) why += ", as " + reason_;
  beat_.cancel();
  ErrorCode ignored;
  socket_.close(ignored);
  const Events events = std::exchange(events_, {});
  if (events.end) events.end(why);
}

}  // namespace

std::shared_ptr<Worker> start_worker(asio::io_context& context, Worker::Events events,
                                     const std::string& role, const std::string& folder) {
  const auto link = std::make_shared<WorkerLink>(context);
  link->start(std::move(events), role, folder);
  return link;
}

}  // namespace skde::service
