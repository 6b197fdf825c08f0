#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace skde {

/// Thrown if some rank failed and the error was reported: the program ends with this exit code on
/// all ranks.
class RankFailure : public std::runtime_error {
 public:
  explicit RankFailure(int exit_code) : std::runtime_error("a rank failed"), code_(exit_code) {}
  int exit_code() const { return code_; }

 private:
  int code_;
};

/// This rank among the ranks of its machine.
struct Neighbours {
  int rank = 0, size = 1;
};

/// All ranks of an MPI run. Calls are collective: every rank makes the same ones in the same order.
/// Large messages are divided, so that no count exceeds 31 bits.
class RankGroup {
 public:
  /// Starts MPI; the destructor ends it. An error of MPI itself ends the program.
  RankGroup(int* argc, char*** argv);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  const Neighbours& neighbours() const { return neighbours_; }

  /// Does this rank's work. If it throws on any rank, the first of those ranks calls `report`,
  /// whose result is the exit code, and all ranks throw RankFailure.
  void together(const std::function<void()>& work,
                const std::function<int(std::exception_ptr)>& report) const;
  /// Returns the texts of all ranks, in rank order.
  std::vector<std::string> gather(const std::string& text) const;
  /// Returns the text of the first rank.
  std::string from_first(const std::string& text) const;
  std::vector<std::int64_t> sum(std::vector<std::int64_t> values) const;
  std::int64_t largest(std::int64_t value) const;
  /// Sends `send[r]`, rows of `columns` numbers, to rank r. Returns the rows sent to this rank, in
  /// unspecified order.
  std::vector<double> exchange(std::vector<std::vector<double>> send, std::size_t columns) const;

 private:
  int rank_ = 0, size_ = 1;
  Neighbours neighbours_;
};

/// A file that all ranks of a group write, each at its own places. Renaming the finished file is
/// left to the first rank.
class SharedFile {
 public:
  /// Opens the file. Throws std::runtime_error with the message of MPI.
  explicit SharedFile(const std::string& path);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Throws Error(output) if the bytes cannot be written.
  void write(std::uint64_t position, std::span<const char> bytes);

 private:
  struct Handle;
  Handle* handle_;
  std::string path_;
};

}  // namespace skde
