#include "io/points/cloud_stream.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "io/points/columns/geographic.hpp"
#include "io/points/formats/open_points.hpp"
#include "io/points/readers/record_reader.hpp"
#include "io/points/row_index.hpp"
#include "system/host_memory.hpp"

namespace skde::io {

/// Hands out the pieces of an input in order, while threads read ahead. The samples, their order
/// and any error are those of a single thread.
class OrderedPieces {
 public:
  OrderedPieces(std::shared_ptr<InputPieces> pieces, int threads);
  ~OrderedPieces();
  OrderedPieces(const OrderedPieces&) = delete;
  OrderedPieces& operator=(const OrderedPieces&) = delete;

  /// Replaces `samples` with those of the next piece and adds its rows to `counts`; returns false
  /// at the end. Throws what reading the piece threw.
  bool next(Samples& samples, CloudCounts& counts);
  /// Share of the pieces that were handed out.
  double done() const;

 private:
  struct Slot {
    Samples samples;
    CloudCounts counts;
    std::exception_ptr failure;
    bool ready = false;
  };
  void work();
  void fill(Slot& slot, std::size_t index);

  std::shared_ptr<InputPieces> pieces_;
  std::vector<Slot> slots_;  ///< piece i is read into slot i modulo slots_.size()
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t begun_ = 0, taken_ = 0;  ///< pieces
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

OrderedPieces::OrderedPieces(std::shared_ptr<InputPieces> pieces, int threads)
    : pieces_(std::move(pieces)), slots_(static_cast<std::size_t>(threads) + 1) {
  const std::size_t most = std::min(static_cast<std::size_t>(threads), pieces_->size());
  threads_.reserve(most);
  for (std::size_t t = 0; t < most; ++t) threads_.emplace_back([this] { work(); });
}

OrderedPieces::~OrderedPieces() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void OrderedPieces::fill(Slot& slot, std::size_t index) {
  slot.failure = nullptr;
  try {
    slot.counts = pieces_->read(index, slot.samples);
  } catch (...) {
    slot.failure = std::current_exception();
  }
}

void OrderedPieces::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopped_ || begun_ < taken_ + slots_.size(); });
    if (stopped_ || begun_ == pieces_->size()) return;
    const std::size_t index = begun_++;
    Slot& slot = slots_[index % slots_.size()];
    lock.unlock();
    fill(slot, index);
    lock.lock();
    slot.ready = true;
    changed_.notify_all();
  }
}

bool OrderedPieces::next(Samples& samples, CloudCounts& counts) {
  std::unique_lock lock(mutex_);
  if (taken_ == pieces_->size()) return false;
  Slot& slot = slots_[taken_ % slots_.size()];
  changed_.wait(lock, [&slot] { return slot.ready; });
  if (slot.failure) std::rethrow_exception(slot.failure);
  std::swap(samples, slot.samples);
  counts += slot.counts;
  slot.ready = false;
  ++taken_;
  lock.unlock();
  changed_.notify_all();
  return true;
}

double OrderedPieces::done() const {
  return static_cast<double>(taken_) / static_cast<double>(pieces_->size());
}

namespace {

/// Limit that lets cancellation and progress act within a file.
constexpr std::size_t kMostRowsAtOnce = std::size_t{1} << 18;

/// Samples that load_cloud() copies at a time, few enough to stay in a core's cache.
constexpr std::size_t kLoadedAtOnce = std::size_t{1} << 13;

/// Parts that are cut by counting rows consist of blocks of so many rows.
constexpr std::uint64_t kRowsAPart = std::uint64_t{1} << 12;

/// More threads than this would wait for memory.
constexpr int kMostThreads = 16;

}  // namespace

CloudStream::CloudStream(std::vector<std::string> inputs, ColumnSelection columns,
                         NonFinite non_finite, const ReadingPlan& plan)
    : inputs_(std::move(inputs)),
      columns_(std::move(columns)),
      non_finite_(non_finite),
      plan_(plan) {
  if (plan_.threads <= 0) plan_.threads = std::min(thread_count(0), kMostThreads);
  if (inputs_.empty())
    throw Error(ErrorKind::usage, "no input file is given",
                {{}, "name files, or - for standard input"});
  if (std::ranges::count(inputs_, "-") > 1)
    throw Error(ErrorKind::usage, "standard input (-) can be read only once", {{}, "name it once"});
  settle_places(inputs_, columns_, non_finite_, plan_.files);
  open_next();
}

void CloudStream::open_next() {
  stamp_.emplace(std::vector{inputs_[next_input_]});
  reader_ = open_points(inputs_[next_input_], columns_, plan_.files);
  const std::string& input = inputs_[next_input_];
  ++next_input_;
  announced_ = false;
  pieces_.reset();
  cut_.reset();
  touched_ = false;
  row_ = 0;
  passes_over_rows_ = false;
  const CloudPart part = plan_.part;
  if (part.parts > 1)
    passes_over_rows_ = input == "-" || !reader_->choose_part(part.part, part.parts);
  if (plan_.rows)
    cut_ = InputPieces::of_rows(input, columns_, non_finite_, *reader_, *plan_.rows, plan_.files);
  else if (plan_.threads > 1 && !passes_over_rows_)
    cut_ = InputPieces::cut(input, columns_, non_finite_, *reader_, part, plan_.piece_bytes,
                            plan_.files);
  if (next_input_ == 1) read_ = reader_->columns();
  const std::string how = disagreement(read_, reader_->columns());
  if (how.empty()) return;
  const std::string what = fmt::format("{}: {}", source_name(inputs_[next_input_ - 1]), how);
  if (columns_.coordinates.empty())
    throw Error(
        ErrorKind::input, what,
        {"columns",
         "name three columns that all files have with `columns`, or use the files separately"});
  add_remark(what, read_.remark);
}

std::uint64_t CloudStream::checked_rows() const {
  if (!reader_ || reader_->bytes_total() == 0) return 0;
  if (plan_.rows) {
    std::uint64_t rows = 0;
    for (const RowRange& range : *plan_.rows) rows += range.rows;
    return rows;
  }
  return reader_->expected_rows().value_or(0);
}

bool CloudStream::read(Samples& chunk, std::size_t most, Progress& progress) {
  while (reader_) {
    if (read_input(chunk, most, progress)) return true;
    if (most == 0) break;
    next_input();
  }
  chunk.clear();
  return false;
}

bool CloudStream::read_input(Samples& chunk, std::size_t most, Progress& progress) {
  chunk.clear();
  touched_ = true;
  while (reader_ && chunk.size() == 0 && most > 0) {
    progress.throw_if_cancelled();
    if (!announced_)
      progress.begin("reading " + source_name(inputs_[next_input_ - 1]), bytes_wanted(), "bytes");
    announced_ = true;
    if (!(cut_ ? read_pieces(chunk, most) : read_rows(chunk, most))) return false;
    progress.update(bytes_done());
  }
  return chunk.size() > 0;
}

bool CloudStream::next_input() {
  stamp_->require_unchanged();
  if (next_input_ < inputs_.size()) {
    open_next();
    return true;
  }
  pieces_.reset();
  cut_.reset();
  reader_.reset();
  return false;
}

std::uint64_t CloudStream::bytes_done() const {
  if (!pieces_) return reader_->bytes_read();
  return static_cast<std::uint64_t>(pieces_->done() * static_cast<double>(bytes_wanted()));
}

/// Returns the bytes that are to be read of the input; 0 if they are unknown.
std::uint64_t CloudStream::bytes_wanted() const {
  const std::uint64_t all = reader_->bytes_total();
  if (!plan_.rows || !reader_->bare_rows()) return all;
  return first_of_part(all, checked_rows(), std::max<std::uint64_t>(*reader_->bare_rows(), 1));
}

RowIndexFound CloudStream::row_index() const {
  const bool bare = columns_.widths.empty() && columns_.others.empty() && !columns_.all_others &&
                    !columns_.weighted() && !columns_.categorised() && columns_.where.empty() &&
                    !columns_.geographic.wanted() && columns_.part.empty() && plan_.part.parts == 1;
  if (!bare || inputs_.size() != 1 || !reader_) return {};
  return find_row_index(inputs_.front(), *reader_, plan_.files);
}

/// Returns false at the end of the input. An empty `chunk` does not mean the end.
bool CloudStream::read_rows(Samples& chunk, std::size_t most) {
  const CloudPart part = plan_.part;
  std::size_t rows = std::min(most, kMostRowsAtOnce);
  if (passes_over_rows_)
    rows = static_cast<std::size_t>(std::min<std::uint64_t>(rows, kRowsAPart - row_ % kRowsAPart));
  if (!reader_->read(chunk, rows)) {
    counts_.comments += comments_of(*reader_);
    return false;
  }
  const bool mine = !passes_over_rows_ || row_ / kRowsAPart % part.parts == part.part;
  row_ += chunk.size() + reader_->left_out();
  if (mine)
    UsableRows(inputs_[next_input_ - 1], columns_, non_finite_)
        .keep(chunk, *reader_, counts_, categories_);
  else
    chunk = {};
  return true;
}

bool CloudStream::read_pieces(Samples& chunk, std::size_t most) {
  if (!pieces_) pieces_ = std::make_shared<OrderedPieces>(cut_, plan_.threads);
  if (handed_out_ == piece_.size()) {
    handed_out_ = 0;
    if (!pieces_->next(piece_, counts_)) {
      piece_ = {};
      return false;
    }
    if (piece_.size() <= most) {
      std::swap(chunk, piece_);  // piece_ was empty
      return true;
    }
  }
  const std::size_t count = std::min(most, piece_.size() - handed_out_);
  append_samples(chunk, piece_.view().slice(handed_out_, count));
  handed_out_ += count;
  return true;
}

namespace {

void settle_depth_units(const std::vector<std::string>& inputs, ColumnSelection& columns,
                        NonFinite non_finite, const OpenFiles& files) {
  constexpr std::size_t kRowsLookedAt = std::size_t{1} << 14;
  if (!columns.geographic.third_units.empty() || !first_read_once(inputs).empty()) return;
  ColumnSelection degrees = columns;
  degrees.keeps_degrees = true;
  CloudStream stream({inputs.front()}, degrees, non_finite, {.threads = 1, .files = files});
  NoProgress silent;
  Samples chunk;
  if (!assumes_kilometres(columns.geographic, stream.columns().xyz[2]) ||
      !stream.read(chunk, kRowsLookedAt, silent))
    return;
  for (std::size_t i = 2; i < chunk.xyz.size() && !columns.geographic.metres_assumed; i += 3)
    columns.geographic.metres_assumed = std::abs(chunk.xyz[i]) > kDeepest;
  if (columns.geographic.metres_assumed) columns.geographic.third_units = "m";
}

}  // namespace

void settle_places(const std::vector<std::string>& inputs, ColumnSelection& columns,
                   NonFinite non_finite, const OpenFiles& files) {
  if (!columns.geographic.wanted() || columns.keeps_degrees) return;
  settle_depth_units(inputs, columns, non_finite, files);
  if (!columns.geographic.lacks_middle()) return;
  const ErrorAdvice advice{"geographic", "name an origin as `geographic=tangent:LON:LAT`"};
  if (const std::string once = first_read_once(inputs); !once.empty())
    throw Error(ErrorKind::usage,
                fmt::format("{}: is read only once, so its centre is not known in advance",
                            source_name(once)),
                advice);
  ColumnSelection places = columns;
  places.geographic.frame = GeographicFrame::earth;
  CloudStream stream(inputs, places, non_finite, {.files = files});
  NoProgress silent;
  GeographicMiddle middle;
  Samples chunk;
  while (stream.read(chunk, kMostRowsAtOnce, silent)) middle.add(chunk.xyz);
  columns.geographic.middle = middle.value();
  if (!columns.geographic.middle)
    throw Error(ErrorKind::usage,
                fmt::format("{}: its points surround the Earth and have no centre",
                            source_name(inputs.front())),
                advice);
}

LoadedCloud load_cloud(CloudStream& stream, std::uint64_t most, Progress& progress) {
  LoadedCloud cloud;
  if (stream.inputs_left() == 0) {
    const std::uint64_t rows = std::min(stream.checked_rows(), most);
    reserve_in_huge_pages(cloud.points.xyz, 3 * rows);
    if (stream.weighted()) reserve_in_huge_pages(cloud.points.weights, rows);
  }
  Samples chunk;
  const auto at_once = [&] {
    return stream.reads_ahead() ? std::numeric_limits<std::size_t>::max() : kLoadedAtOnce;
  };
  while (stream.read(chunk, at_once(), progress)) {
    append_samples(cloud.points, chunk.view());
    cloud.points.values.insert(cloud.points.values.end(), chunk.values.begin(), chunk.values.end());
    cloud.points.categories.insert(cloud.points.categories.end(), chunk.categories.begin(),
                                   chunk.categories.end());
    if (cloud.points.size() > most) {
      cloud.complete = false;
      break;
    }
  }
  cloud.counts = stream.counts();
  cloud.columns = stream.columns();
  return cloud;
}

LoadedCloud load_cloud(const std::vector<std::string>& inputs, const ColumnSelection& columns,
                       NonFinite non_finite, Progress& progress) {
  CloudStream stream(inputs, columns, non_finite);
  return load_cloud(stream, std::numeric_limits<std::uint64_t>::max(), progress);
}

}  // namespace skde::io
