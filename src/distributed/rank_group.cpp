#include "distributed/rank_group.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <numeric>

#include "core/report/error.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 20;  ///< numbers that a rank receives at a
                                                           ///< time

Error failed_write(const std::string& path, int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {ErrorKind::output, fmt::format("{}: cannot be written: {}", path,
                                         std::string(text, static_cast<std::size_t>(length)))};
}

/// Returns where each rank's share of numbers begins, from the counts of all.
std::vector<int> starts_of(const std::vector<int>& counts) {
  std::vector<int> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  return starts;
}

}  // namespace

RankGroup::RankGroup(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &neighbours_.rank);
  MPI_Comm_size(machine, &neighbours_.size);
  MPI_Comm_free(&machine);
}

RankGroup::~RankGroup() { MPI_Finalize(); }

void RankGroup::together(const std::function<void()>& work,
                         const std::function<int(std::exception_ptr)>& report) const {
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  int first = failure ? rank_ : size_;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == size_) return;
  int code = first == rank_ ? report(failure) : 0;
  MPI_Bcast(&code, 1, MPI_INT, first, MPI_COMM_WORLD);
  throw RankFailure(code);
}

std::vector<std::string> RankGroup::gather(const std::string& text) const {
  const int own = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(size_));
  MPI_Allgather(&own, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const std::vector<int> starts = starts_of(lengths);
  std::string all(static_cast<std::size_t>(starts.back() + lengths.back()), '\0');
  MPI_Allgatherv(text.data(), own, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR,
                 MPI_COMM_WORLD);
  std::vector<std::string> texts;
  texts.reserve(lengths.size());
  for (std::size_t r = 0; r < lengths.size(); ++r)
    texts.push_back(
        all.substr(static_cast<std::size_t>(starts[r]), static_cast<std::size_t>(lengths[r])));
  return texts;
}

std::string RankGroup::from_first(const std::string& text) const {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::string shared = text;
  shared.resize(static_cast<std::size_t>(length));
  MPI_Bcast(shared.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return shared;
}

std::vector<std::int64_t> RankGroup::sum(std::vector<std::int64_t> values) const {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM,
                MPI_COMM_WORLD);
  return values;
}

std::int64_t RankGroup::largest(std::int64_t value) const {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return value;
}

std::vector<double> RankGroup::exchange(std::vector<std::vector<double>> send,
                                        std::size_t columns) const {
  if (size_ == 1) return std::move(send.front());
  const auto ranks = static_cast<std::size_t>(size_);
  // Numbers to each rank at a time: whole rows, because the rows for the next rank follow.
  const std::size_t most = std::max<std::size_t>(1, kMostAtOnce / ranks / columns) * columns;
  std::vector<std::int64_t> mine(ranks), theirs(ranks);
  std::ranges::transform(send, mine.begin(), [](const auto& numbers) {
    return static_cast<std::int64_t>(numbers.size());
  });
  MPI_Alltoall(mine.data(), 1, MPI_INT64_T, theirs.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  const auto all = static_cast<std::size_t>(largest(std::ranges::max(mine)));
  std::vector<double> received, outgoing;
  reserve_in_huge_pages(received, static_cast<std::size_t>(
                                      std::reduce(theirs.begin(), theirs.end(), std::int64_t{0})));
  std::vector<int> give(ranks), get(ranks);
  for (std::size_t begin = 0; begin < all; begin += most) {
    outgoing.clear();
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::size_t first = std::min(begin, send[r].size()),
                        last = std::min(begin + most, send[r].size());
      outgoing.insert(outgoing.end(), send[r].begin() + static_cast<std::ptrdiff_t>(first),
                      send[r].begin() + static_cast<std::ptrdiff_t>(last));
      give[r] = static_cast<int>(last - first);
    }
    MPI_Alltoall(give.data(), 1, MPI_INT, get.data(), 1, MPI_INT, MPI_COMM_WORLD);
    const std::vector<int> from = starts_of(give), to = starts_of(get);
    const std::size_t have = received.size();
    received.resize(have + static_cast<std::size_t>(to.back() + get.back()));
    MPI_Alltoallv(outgoing.data(), give.data(), from.data(), MPI_DOUBLE, received.data() + have,
                  get.data(), to.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  }
  return received;
}

struct SharedFile::Handle {
  MPI_File file = MPI_FILE_NULL;
};

SharedFile::SharedFile(const std::string& path) : handle_(new Handle), path_(path) {
  const int code =
      MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &handle_->file);
  if (code == MPI_SUCCESS) return;
  delete handle_;
  throw failed_write(path, code);
}

SharedFile::~SharedFile() {
  MPI_File_close(&handle_->file);
  delete handle_;
}

void SharedFile::write(std::uint64_t position, std::span<const char> bytes) {
  constexpr std::size_t kBytesAtOnce = std::size_t{1} << 26;
  for (std::size_t begin = 0; begin < bytes.size(); begin += kBytesAtOnce) {
    const std::size_t count = std::min(kBytesAtOnce, bytes.size() - begin);
    const std::uint64_t next = position + begin;
    const auto at = static_cast<MPI_Offset>(next);
    MPI_Status status;
    const int code = MPI_File_write_at(handle_->file, at, bytes.data() + begin,
                                       static_cast<int>(count), MPI_CHAR, &status);
    int written = 0;
    if (code == MPI_SUCCESS) MPI_Get_count(&status, MPI_CHAR, &written);
    if (code != MPI_SUCCESS) throw failed_write(path_, code);
    if (static_cast<std::size_t>(written) != count)
      throw Error(ErrorKind::output, fmt::format("{}: cannot be written: the disk is full", path_));
  }
}

}  // namespace skde
