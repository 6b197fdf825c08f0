#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace skde {

/// Some rank failed, which has been told: the program ends with this exit code on all of them.
class RankFailure : public std::runtime_error {
 public:
  explicit RankFailure(int exit_code) : std::runtime_error("a rank failed"), code_(exit_code) {}
  int exit_code() const { return code_; }

 private:
  int code_;
};

/// A rank among those of its machine.
struct Neighbours {
  int rank = 0, size = 1;
};

/// All ranks of a run of MPI. Calls are collective: every rank makes the same ones in the same
/// order. Messages are cut, so that no count leaves 31 bits.
class RankGroup {
 public:
  /// Starts MPI, and ends it again. An error of MPI itself ends the program.
  RankGroup(int* argc, char*** argv);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  const Neighbours& neighbours() const { return neighbours_; }

  /// Does work of this rank. Where it throws on any, the first rank of these tells of it by
  /// `report`, whose result is the exit code, and all throw RankFailure.
  void together(const std::function<void()>& work,
                const std::function<int(std::exception_ptr)>& report) const;
  /// The texts of all ranks, in their order.
  std::vector<std::string> gather(const std::string& text) const;
  /// The text of the first rank.
  std::string from_first(const std::string& text) const;
  std::vector<std::int64_t> sum(std::vector<std::int64_t> values) const;
  std::int64_t largest(std::int64_t value) const;
  /// Gives `send[r]`, rows of so many numbers, to rank r and returns the rows that all gave to this
  /// one, in no order that means anything.
  std::vector<double> exchange(std::vector<std::vector<double>> send, std::size_t columns) const;

 private:
  int rank_ = 0, size_ = 1;
  Neighbours neighbours_;
};

/// A file that all ranks of a group write, each at its own places. The name of the file that the
/// first rank puts in place afterwards is its own affair.
class SharedFile {
 public:
  /// Throws std::runtime_error with what MPI says.
  explicit SharedFile(const std::string& path);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Error(output) where the bytes cannot be written.
  void write(std::uint64_t position, std::span<const char> bytes);

 private:
  struct Handle;
  Handle* handle_;
  std::string path_;
};

}  // namespace skde
