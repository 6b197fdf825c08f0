#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace skde::service {

/// One request and its answer. The path has no query, because a query may hold names of files.
struct AccessEntry {
  std::string owner{}, method{}, path{}, job{};  ///< empty if unknown, or if there is none
  unsigned status = 0;                           ///< 0 before the answer
  std::uint64_t bytes = 0;                       ///< sent, with the headers
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
};

/// A file with a line of JSON for each request, in the order in which answers end.
class AccessLog {
 public:
  /// Appends to this file from now on, or to none if it has no name. Throws Error(output).
  void open(const std::string& path);
  /// Throws nothing, so that the end of a connection may call it.
  void write(const AccessEntry& entry);
  /// The lines that could not be written, for example for lack of space.
  std::uint64_t lost() const { return lost_; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Closer> file_;
  std::uint64_t lost_ = 0;
};

class HttpSession;

/// The open connections, and counters for the metrics.
struct Traffic {
  std::size_t connections = 0, watchers = 0;
  std::uint64_t requests = 0, bytes_in = 0, bytes_out = 0, refused = 0;
  std::map<unsigned, std::uint64_t> answers{};  ///< by status
  std::set<HttpSession*> sessions{};
  std::map<std::string, std::size_t> held{};  ///< connections by owner
  AccessLog log{};
  bool is_ending = false;  ///< every connection ends after its current request
};

}  // namespace skde::service
