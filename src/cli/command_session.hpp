#pragma once

#include <optional>

#include "cli/command.hpp"
#include "estimate/session.hpp"

namespace skde::cli {

/// The session of a command over its files: a session kept for it, or its own.
class CommandSession {
 public:
  /// Opens the files in parts or, if `in_memory`, as a whole. A memory limit does not apply to kept
  /// sessions, so a command with a limit makes its own session. Throws what Session throws.
  CommandSession(SessionKeeper* keeper, const CloudFiles& files, SessionOptions options,
                 bool in_memory, Progress& progress);
  Session* operator->() { return session_; }
  Session& operator*() { return *session_; }

 private:
  std::optional<Session> own_;
  Session* session_ = nullptr;
};

}  // namespace skde::cli
