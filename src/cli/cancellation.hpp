#pragma once

namespace skde::cli {

/// From here on a first SIGINT, SIGTERM or SIGHUP sets a flag, and a second one ends the program.
/// SIGXFSZ is ignored, so that a file above the limit is a failed write. Call once, before other
/// threads.
void install_signal_handlers();

/// True once the user asked to stop.
bool cancel_requested() noexcept;
/// The same as a signal, or its opposite: for programs that run one command after the other.
void request_cancel(bool wanted) noexcept;

/// While one of these lives there is nothing to clean up, and a signal ends the program at once
/// with exit code 130: reading from a pipe may wait for ever.
class CancelAtOnce {
 public:
  CancelAtOnce() noexcept;
  ~CancelAtOnce();
  CancelAtOnce(const CancelAtOnce&) = delete;
  CancelAtOnce& operator=(const CancelAtOnce&) = delete;
};

}  // namespace skde::cli
