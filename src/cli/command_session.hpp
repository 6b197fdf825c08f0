#pragma once

#include <optional>

#include "cli/command.hpp"
#include "estimate/session.hpp"

namespace skde::cli {

/// The session of a command over its files: one that is kept for it, or one of its own.
class CommandSession {
 public:
  /// Opens the files, in parts or, where `in_memory`, whole. A limit of memory is not that of kept
  /// sessions, so that a command that has one gets its own. Throws what Session throws.
  CommandSession(SessionKeeper* keeper, const CloudFiles& files, SessionOptions options,
                 bool in_memory, Progress& progress);
  Session* operator->() { return session_; }

 private:
  std::optional<Session> own_;
  Session* session_ = nullptr;
};

}  // namespace skde::cli
