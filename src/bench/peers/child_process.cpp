#include "bench/peers/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/stop_watch.hpp"

namespace skde::bench {
namespace {

constexpr std::size_t kKeptComplaint = 1 << 16;  // bytes of standard error

/// Both ends of a pipe, as "reading, writing".
std::pair<int, int> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(ErrorKind::resources,
                fmt::format("no pipe to another program can be made: {}", std::strerror(errno)));
  return {ends[0], ends[1]};
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// This process's environment, with those variables in the place of its own.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const std::string& variable : variables)
      replaced = replaced || text.starts_with(variable.substr(0, variable.find('=') + 1));
    if (!replaced) all.emplace_back(text);
  }
  return all;
}

/// Reads what a pipe holds into `text`; at its end closes it.
void drain(int& descriptor, std::string& text) {
  std::array<char, 1 << 14> buffer{};
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    close(descriptor);
    descriptor = -1;
  }
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command,
                           const std::vector<std::string>& environment) {
  std::vector<std::string> arguments = command, variables = environment_with(environment);
  const auto [out, out_end] = make_pipe();
  const auto [err, err_end] = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err_end, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own: it is ended with its own processes, and the terminal's Ctrl-C is ours.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int problem = posix_spawnp(&process_, arguments[0].c_str(), &actions, &attributes,
                                   pointers_to(arguments).data(), pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(out_end);
  close(err_end);
  out_ = out;
  err_ = err;
  if (problem == 0) return;
  process_ = -1;
  close(out_);
  close(err_);
  throw Error(ErrorKind::input,
              fmt::format("{}: cannot be run: {}", command[0], std::strerror(problem)));
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) {
    kill(-process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  if (out_ >= 0) close(out_);
  if (err_ >= 0) close(err_);
}

void ChildProcess::pump() {
  constexpr int kMilliseconds = 100;
  std::array<pollfd, 2> ends{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};  // poll skips closed ones
  poll(ends.data(), ends.size(), kMilliseconds);
  if (out_ >= 0 && ends[0].revents != 0) drain(out_, out_text_);
  if (err_ >= 0 && ends[1].revents != 0) drain(err_, err_text_);
  if (err_text_.size() > kKeptComplaint) err_text_.erase(0, err_text_.size() - kKeptComplaint);
}

ChildProcess::Reading ChildProcess::read_line(std::string& line, double seconds,
                                              const Progress& progress) {
  const StopWatch waiting;
  while (true) {
    if (const std::size_t end = out_text_.find('\n'); end != out_text_.npos) {
      line = out_text_.substr(0, end);
      out_text_.erase(0, end + 1);
      return Reading::line;
    }
    if (out_ < 0) return Reading::end;
    progress.throw_if_cancelled();
    if (waiting.seconds() > seconds) return Reading::late;
    pump();
  }
}

int ChildProcess::finish(double seconds, const Progress& progress) {
  const StopWatch waiting;
  int status = 0;
  while (waitpid(process_, &status, WNOHANG) == 0) {
    progress.throw_if_cancelled();
    if (waiting.seconds() > seconds) kill(-process_, SIGKILL);
    pump();
  }
  process_ = -1;
  while (err_ >= 0 && waiting.seconds() <= seconds) pump();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string ChildProcess::complaint() const {
  constexpr std::size_t kLongest = 300;
  const std::size_t last = err_text_.find_last_not_of(" \n\r\t");
  if (last == err_text_.npos) return "";
  const std::size_t before = err_text_.find_last_of('\n', last);
  const std::size_t begin = before == err_text_.npos ? 0 : before + 1;
  return err_text_.substr(begin, std::min(last + 1 - begin, kLongest));
}

}  // namespace skde::bench
