#pragma once

namespace skde::cli {

/// Makes a first SIGINT, SIGTERM or SIGHUP set a flag, and a second one end the program. Ignores
/// SIGXFSZ, so that a write beyond the file size limit fails. Call once, before starting threads.
void install_signal_handlers();

/// Returns whether the user has asked to stop.
bool cancel_requested() noexcept;
/// Sets or clears the flag, like a signal: for programs that run one command after another.
void request_cancel(bool wanted) noexcept;

/// While such an object exists, there is nothing to clean up, and a signal ends the program at once
/// with exit code 130. Reading from a pipe may otherwise wait forever.
class CancelAtOnce {
 public:
  CancelAtOnce() noexcept;
  ~CancelAtOnce();
  CancelAtOnce(const CancelAtOnce&) = delete;
  CancelAtOnce& operator=(const CancelAtOnce&) = delete;
};

}  // namespace skde::cli
