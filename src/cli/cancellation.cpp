#include "cli/cancellation.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

#include "cli/exit_code.hpp"
#include "core/report/error.hpp"

namespace skde::cli {
namespace {

std::atomic<bool> requested{false};
std::atomic<bool> at_once{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the signal handler must not lock");

extern "C" void on_signal(int) {
  requested.store(true);
  if (!at_once.load()) return;
  constexpr std::string_view kCleared = "\r\033[Kskde: cancelled\n", kPlain = "skde: cancelled\n";
  const std::string_view text = isatty(STDERR_FILENO) == 1 ? kCleared : kPlain;
  // If the message cannot be written, nothing else can be done.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  _exit(exit_code(ErrorKind::cancelled));
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second signal ends the program
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    // Shells start background jobs with SIGINT ignored, and nohup starts its program with SIGHUP
    // ignored. Both remain ignored.
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
  signal(SIGXFSZ, SIG_IGN);
}

bool cancel_requested() noexcept { return requested.load(std::memory_order_relaxed); }

void request_cancel(bool wanted) noexcept { requested.store(wanted); }

CancelAtOnce::CancelAtOnce() noexcept { at_once.store(true); }
CancelAtOnce::~CancelAtOnce() { at_once.store(false); }

}  // namespace skde::cli
