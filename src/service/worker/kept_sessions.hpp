#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <utility>

#include "cli/command.hpp"
#include "estimate/session.hpp"

namespace skde::service {

/// The sessions of a worker: samples, and what engines made of them, stay in memory for the next
/// run on the same cloud until others need the room. The least recently used session goes first.
class KeptSessions final : public cli::SessionKeeper {
 public:
  /// Keeps up to `most_bytes` of samples between runs; all sessions have the same options.
  KeptSessions(std::int64_t most_bytes, SessionOptions options)
      : most_bytes_(most_bytes), options_(std::move(options)) {}

  Session& session(const CloudFiles& files, bool in_memory, Progress& progress) override;
  /// Sets the content addresses of files by path, as the service knows them; a session is valid for
  /// one content only. Those that predict ignore the memory that others hold now, as the run will
  /// wait for it.
  void expect(std::map<std::string, std::string> contents, bool predicts) {
    contents_ = std::move(contents);
    predicts_ = predicts;
  }
  /// Removes sessions beyond the limits; called between runs.
  void trim();
  /// Drops the current session after a failure, so that it is not used again.
  void forget_newest();
  std::int64_t bytes() const;

 private:
  struct Kept {
    CloudFiles files;
    std::string stamp;  ///< contents and stamps of the files when they were opened
    bool predicts = false;
    Session session;
  };

  std::string stamp_of(const CloudFiles& files) const;

  std::int64_t most_bytes_;
  SessionOptions options_;
  std::map<std::string, std::string> contents_;
  bool predicts_ = false;
  std::list<Kept> sessions_;  ///< newest first
};

}  // namespace skde::service
