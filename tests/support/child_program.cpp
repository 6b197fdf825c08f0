#include "support/child_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

#include "system/stop_watch.hpp"

namespace skde::test {
namespace {

struct Pipe {
  std::array<int, 2> ends{};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  /// Replaces the pipe by a terminal of 80 columns: [0] is the watcher's side, [1] the program's.
  void become_terminal() {
    close_end(0);
    close_end(1);
    ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (ends[0] < 0 || grantpt(ends[0]) != 0 || unlockpt(ends[0]) != 0)
      throw std::runtime_error("no terminal");
    ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY | O_CLOEXEC);
    const winsize size{24, 80, 0, 0};
    ioctl(ends[1], TIOCSWINSZ, &size);
  }
  void close_end(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments,
                         const RunSettings& settings, const Pipe& in, const Pipe& out,
                         const Pipe& err) {
  dup2(in.ends[0], STDIN_FILENO);
  if (settings.output_file.empty())
    dup2(out.ends[1], STDOUT_FILENO);
  else
    dup2(open(settings.output_file.c_str(), O_WRONLY), STDOUT_FILENO);
  if (settings.error_closed)
    close(STDERR_FILENO);
  else if (settings.error_file.empty())
    dup2(err.ends[1], STDERR_FILENO);
  else
    dup2(open(settings.error_file.c_str(), O_WRONLY), STDERR_FILENO);
  if (settings.address_space) {
    const rlimit limit{*settings.address_space, *settings.address_space};
    setrlimit(RLIMIT_AS, &limit);
  }
  if (settings.file_size_limit) {
    const rlimit limit{*settings.file_size_limit, *settings.file_size_limit};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  // The tests may have been started with signals ignored, as by nohup, and programs inherit that.
  for (const int number : {SIGHUP, SIGINT, SIGTERM}) std::signal(number, SIG_DFL);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

/// Appends the bytes that are available now; returns false at the end.
bool drain(int descriptor, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

/// Reads both outputs to their ends, and interrupts the program when the settings require it.
void watch(pid_t child, const RunSettings& settings, Pipe& out, Pipe& err, RunResult& result) {
  const StopWatch running;
  std::array<pollfd, 2> ends{{{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}}};
  std::array<std::string*, 2> texts{&result.out, &result.err};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    poll(ends.data(), ends.size(), 10);
    for (std::size_t i = 0; i < 2; ++i)
      if (ends[i].fd >= 0 && ends[i].revents != 0 && !drain(ends[i].fd, *texts[i])) ends[i].fd = -1;
    const bool late = settings.interrupt_after && running.seconds() > *settings.interrupt_after;
    const bool told = !settings.interrupt_on.empty() &&
                      result.out.find(settings.interrupt_on) != std::string::npos;
    if ((late || told) && !result.was_interrupted) {
      kill(child, settings.signal);
      result.was_interrupted = true;
    }
  }
  result.seconds = running.seconds();
}

}  // namespace

bool has_terminals() {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal >= 0) close(terminal);
  return terminal >= 0;
}

RunResult run_child(const std::string& program, const std::vector<std::string>& arguments,
                    const RunSettings& settings) {
  Pipe in, out, err;
  if (settings.error_to_terminal) err.become_terminal();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) become(program, arguments, settings, in, out, err);
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  // A pipe holds 64 KiB, more than any input in these tests.
  const auto before = signal(SIGPIPE, SIG_IGN);
  const ssize_t written = write(in.ends[1], settings.input.data(), settings.input.size());
  signal(SIGPIPE, before);
  if (!settings.keep_input_open) in.close_end(1);
  RunResult result;
  watch(child, settings, out, err, result);
  int status = 0;
  waitpid(child, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (result.exit_code == 0 && written != static_cast<ssize_t>(settings.input.size()))
    throw std::runtime_error("the program did not take its input");
  return result;
}

}  // namespace skde::test
