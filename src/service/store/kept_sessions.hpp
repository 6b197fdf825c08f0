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
/// run on the same cloud, until others need the room; the one that was used last stays longest.
class KeptSessions final : public cli::SessionKeeper {
 public:
  /// `most_bytes` of samples stay between runs; the options are those of every session.
  KeptSessions(std::int64_t most_bytes, SessionOptions options)
      : most_bytes_(most_bytes), options_(std::move(options)) {}

  Session& session(const CloudFiles& files, bool in_memory, Progress& progress) override;
  /// The contents of files by their paths, as the service knows them: a session is for one content.
  void expect(std::map<std::string, std::string> contents) { contents_ = std::move(contents); }
  /// Between runs.
  void trim();
  /// Behind a failure: what was in work is not used again.
  void forget_newest();
  std::size_t count() const { return sessions_.size(); }
  std::int64_t bytes() const;

 private:
  struct Kept {
    CloudFiles files;
    std::string stamp;  ///< what the files held, and how they looked, when they were opened
    Session session;
  };

  std::string stamp_of(const CloudFiles& files) const;

  std::int64_t most_bytes_;
  SessionOptions options_;
  std::map<std::string, std::string> contents_;
  std::list<Kept> sessions_;  ///< the newest first
};

}  // namespace skde::service
