#include "apps/program_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "core/stop_watch.hpp"

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
  /// A terminal of 80 columns in its place: [0] is the watcher's side, [1] the program's.
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

[[noreturn]] void become_program(const std::vector<std::string>& arguments,
                                 const RunSettings& settings, const Pipe& in, const Pipe& out,
                                 const Pipe& err) {
  dup2(in.ends[0], STDIN_FILENO);
  if (settings.output_file.empty())
    dup2(out.ends[1], STDOUT_FILENO);
  else
    dup2(open(settings.output_file.c_str(), O_WRONLY), STDOUT_FILENO);
  dup2(err.ends[1], STDERR_FILENO);
  if (settings.file_size_limit) {
    const rlimit limit{*settings.file_size_limit, *settings.file_size_limit};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  std::vector<char*> argv{const_cast<char*>(SKDE_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(SKDE_PROGRAM, argv.data());
  _exit(127);
}

/// Appends what can be read now; false at the end.
bool drain(int descriptor, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

/// Reads both outputs to their ends, and interrupts the program when its time has come.
void watch(pid_t child, const RunSettings& settings, Pipe& out, Pipe& err, RunResult& result) {
  const StopWatch running;
  std::array<pollfd, 2> ends{{{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}}};
  std::array<std::string*, 2> texts{&result.out, &result.err};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    poll(ends.data(), ends.size(), 10);
    for (std::size_t i = 0; i < 2; ++i)
      if (ends[i].fd >= 0 && ends[i].revents != 0 && !drain(ends[i].fd, *texts[i])) ends[i].fd = -1;
    if (settings.interrupt_after && !result.was_interrupted &&
        running.seconds() > *settings.interrupt_after) {
      kill(child, SIGINT);
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

RunResult run_skde(const std::vector<std::string>& arguments, const RunSettings& settings) {
  Pipe in, out, err;
  if (settings.error_to_terminal) err.become_terminal();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) become_program(arguments, settings, in, out, err);
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  // A pipe holds 64 KiB, more than any input of these tests.
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

void check_failure(const RunResult& result, int exit_code,
                   std::initializer_list<std::string_view> fragments) {
  INFO("standard error: " << result.err);
  CHECK(result.exit_code == exit_code);
  CHECK(result.out.empty());
  CHECK(result.err.starts_with(std::filesystem::path(SKDE_PROGRAM).filename().string() + ": "));
  CHECK(std::ranges::count(result.err, '\n') == 1);
  for (const std::string_view fragment : fragments) {
    INFO("looking for: " << fragment);
    CHECK(result.err.find(fragment) != std::string::npos);
  }
}

void check_success(const RunResult& result) {
  INFO("standard error: " << result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.err.empty());
}

nlohmann::json run_json(std::vector<std::string> arguments, const RunSettings& settings) {
  arguments.emplace_back("--json");
  const RunResult result = run_skde(arguments, settings);
  check_success(result);
  return nlohmann::json::parse(result.out);
}

std::string spread_rows(int count, double offset) {
  std::ostringstream rows;
  for (int i = 0; i < count; ++i)
    rows << offset + std::sin(1.0 * i) << ' ' << offset + 2 * std::cos(1.7 * i) << ' '
         << offset + 3 * std::sin(2.3 * i + 1) << '\n';
  return rows.str();
}

}  // namespace skde::test
