#include "estimate/read/part_filler.hpp"

#include <algorithm>
#include <utility>

#include "system/host_memory.hpp"

namespace skde {
namespace {

std::unique_ptr<double[]> untouched(std::size_t count) {
  auto values = std::make_unique_for_overwrite<double[]>(count);
  ask_for_huge_pages(values.get(), count * sizeof(double));
  return values;
}

/// Either all samples have values of this kind, or none.
void copy(std::span<const double> from, double* to, std::atomic<bool>& has) {
  if (from.empty()) return;
  has = true;
  std::ranges::copy(from, to);
}

}  // namespace

SampleRoom::SampleRoom(std::size_t most, const io::ColumnSelection& columns)
    : xyz_(untouched(3 * most)) {
  if (columns.weighted()) weights_ = untouched(most);
  if (!columns.shaped()) return;
  widths_ = untouched(most);
  shapes_ = untouched(6 * most);
}

void SampleRoom::put(std::size_t begin, const SamplesView& points) {
  std::ranges::copy(points.xyz, xyz_.get() + 3 * begin);
  if (weights_) copy(points.weights, weights_.get() + begin, has_weights_);
  if (widths_) copy(points.bandwidth_factors, widths_.get() + begin, has_widths_);
  if (shapes_) copy(points.shapes, shapes_.get() + 6 * begin, has_shapes_);
}

SamplesView SampleRoom::view(std::size_t count) const {
  SamplesView points{{xyz_.get(), 3 * count}};
  if (has_weights_) points.weights = {weights_.get(), count};
  if (has_widths_) points.bandwidth_factors = {widths_.get(), count};
  if (has_shapes_) points.shapes = {shapes_.get(), 6 * count};
  return points;
}

PartFiller::PartFiller(std::span<SampleRoom* const> rooms, std::size_t most, Samples first,
                       std::unique_ptr<io::CloudStream> stream, const PartStatistics* look,
                       bool moments, const Progress& progress)
    : most_(most),
      first_(std::move(first)),
      chunks_(std::move(stream)),
      look_(look),
      moments_(moments),
      progress_(progress),
      slots_(rooms.size()),
      places_(first_.size()),
      active_(static_cast<std::size_t>(chunks_.threads())) {
  const std::size_t blocks = (most + Moments::kBlock - 1) / Moments::kBlock;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].room = rooms[i];
    slots_[i].blocks.resize(blocks);
    slots_[i].put.resize(blocks);
  }
  threads_.reserve(active_);
  for (std::size_t t = active_; t > 0; --t) threads_.emplace_back([this] { work(); });
}

PartFiller::~PartFiller() {
  stop();
  for (std::thread& thread : threads_) thread.join();
}

void PartFiller::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  chunks_.stop();
}

/// Where a thread puts the samples of its chunks, one after another. They are read directly into
/// their places if these are known beforehand and free, otherwise into a chunk of the thread's own.
class PartFiller::Place final : public io::ChunkPlace {
 public:
  explicit Place(PartFiller& filler) : filler_(filler) {}

  /// Reads the next chunk. Returns false after the last one.
  bool read() {
    expected_ = {};
    room_ = {};
    return filler_.chunks_.read(chunk_, *this, filler_.progress_);
  }
  /// Puts the samples of the chunk where they belong.
  void put() {
    if (room_.empty())
      filler_.put(begin_, chunk_.view());
    else
      filler_.note_put(filler_.slot_of(begin_ / filler_.most_),
                       static_cast<std::size_t>(begin_ % filler_.most_), samples_);
  }

  std::span<double> room_for(std::size_t rows) override {
    const std::lock_guard lock(filler_.mutex_);
    expected_ = filler_.places_.expect(rows);
    const std::uint64_t begin = expected_.begin;
    if (!filler_.has_room(begin, rows) || !filler_.places_.reserve(expected_)) return {};
    room_ = filler_.slot_of(begin / filler_.most_)
                .room->xyz(static_cast<std::size_t>(begin % filler_.most_), rows);
    return room_;
  }

  void take(std::size_t samples) override {
    samples_ = samples;
    {
      const std::lock_guard lock(filler_.mutex_);
      begin_ = filler_.places_.take(expected_, samples);
    }
    if (room_.empty() || begin_ == expected_.begin) return;
    // Some earlier rows were no samples, so these samples belong further forward. They leave their
    // places before a later chunk may be put here.
    chunk_.clear();
    chunk_.xyz.assign(room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(3 * samples));
    room_ = {};
  }

 private:
  PartFiller& filler_;
  Samples chunk_;
  SamplePlaces::Expected expected_;
  std::span<double> room_;  ///< that holds the samples; empty if chunk_ does
  std::uint64_t begin_ = 0;
  std::size_t samples_ = 0;
};

void PartFiller::work() {
  try {
    put_first();
    Place place(*this);
    const auto read = [&] {
      try {
        return place.read();
      } catch (...) {
        fail(false);
        return false;
      }
    };
    while (read()) {
      progress_.throw_if_cancelled();
      place.put();
    }
  } catch (...) {
    fail(true);
  }
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    last = active_ == 1;
    if (!last) --active_;
  }
  if (!last) return;
  finish_last();
  {
    const std::lock_guard lock(mutex_);
    active_ = 0;
  }
  changed_.notify_all();
}

/// Puts samples that were read beforehand into the first places, some at a time.
void PartFiller::put_first() {
  constexpr std::size_t kAtOnce = std::size_t{1} << 16;
  while (true) {
    std::size_t begin = 0, count = 0;
    {
      const std::lock_guard lock(mutex_);
      begin = first_begun_;
      count = std::min(kAtOnce, first_.size() - std::min(begin, first_.size()));
      first_begun_ += count;
    }
    if (count == 0) return;
    progress_.throw_if_cancelled();
    put(begin, first_.view().slice(begin, count));
    const std::lock_guard lock(mutex_);
    first_put_ += count;
    if (first_put_ == first_.size()) first_ = {};  // it may take all the memory for samples
    if (first_.size() == 0) return;
  }
}

/// Returns whether `count` places from `begin` on are in one part, which may be filled.
bool PartFiller::has_room(std::uint64_t begin, std::size_t count) const {
  return begin % most_ + count <= most_ && begin / most_ < released_ + slots_.size();
}

/// Puts samples whose places are known into the parts there.
void PartFiller::put(std::uint64_t begin, SamplesView points) {
  while (points.size() > 0) {
    const std::uint64_t part = begin / most_;
    const auto place = static_cast<std::size_t>(begin % most_);
    const std::size_t count = std::min(points.size(), most_ - place);
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopped_ || part < released_ + slots_.size(); });
      if (stopped_) return;
    }
    Slot& slot = slot_of(part);
    slot.room->put(place, points.slice(0, count));
    note_put(slot, place, count);
    points = points.slice(count, points.size() - count);
    begin += count;
  }
}

/// The thread that completes a block looks at it while the samples are in a cache. The thread that
/// completes the part sums up the blocks.
void PartFiller::note_put(Slot& slot, std::size_t begin, std::size_t count) {
  constexpr std::size_t kBlock = Moments::kBlock;
  const std::size_t end = begin + count;
  for (std::size_t block = begin / kBlock; block * kBlock < end; ++block) {
    const std::size_t from = block * kBlock, to = std::min(from + kBlock, most_);
    const std::size_t put = std::min(end, to) - std::max(begin, from);
    bool complete = false;
    {
      const std::lock_guard lock(mutex_);
      slot.put[block] += put;
      complete = slot.put[block] == to - from;
    }
    if (complete) look_at(slot, block, to - from);
  }
  bool complete = false;
  {
    const std::lock_guard lock(mutex_);
    slot.done += count;
    complete = slot.done == most_;
  }
  if (complete) finish(slot, most_);
}

void PartFiller::look_at(Slot& slot, std::size_t block, std::size_t samples) {
  const std::size_t begin = block * Moments::kBlock;
  const SamplesView points = slot.room->view(begin + samples).slice(begin, samples);
  PartStatistics::Block found;
  if (moments_)
    found.moments.add(points);
  else
    found.moments.add_totals(points);
  if (look_ != nullptr) look_->look_at(points, found);
  slot.blocks[block] = found;
}

void PartFiller::finish(Slot& slot, std::size_t samples) {
  const std::size_t blocks = (samples + Moments::kBlock - 1) / Moments::kBlock;
  if (look_ != nullptr)
    slot.found = look_->sum_up(slot.room->view(samples), std::span(slot.blocks).first(blocks));
  {
    const std::lock_guard lock(mutex_);
    slot.ready = true;
  }
  changed_.notify_all();
}

/// The last part is complete at the end of the stream, however few samples it has. No other thread
/// is at work any more.
void PartFiller::finish_last() {
  {
    const std::lock_guard lock(mutex_);
    if (failure_ || stopped_ || places_.taken() % most_ == 0) return;
  }
  try {
    Slot& slot = slot_of(places_.taken() / most_);
    const auto samples = static_cast<std::size_t>(places_.taken() % most_);
    const std::size_t rest = samples % Moments::kBlock;
    if (rest > 0) look_at(slot, samples / Moments::kBlock, rest);
    finish(slot, samples);
  } catch (...) {
    fail(true);
  }
}

/// Parts before the unreadable samples are still completed, unless nobody wants them. `at_once`:
/// samples that have places are lost, so that their part can never be complete.
void PartFiller::fail(bool at_once) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
  if (at_once || progress_.cancelled()) stop();
}

std::optional<PartFiller::Part> PartFiller::next() {
  std::unique_lock lock(mutex_);
  Slot& slot = slot_of(given_);
  const auto is_here = [&] { return slot.ready && given_ < released_ + slots_.size(); };
  changed_.wait(lock, [&] { return is_here() || active_ == 0 || stopped_; });
  if (!is_here()) {
    if (failure_) std::rethrow_exception(failure_);
    progress_.throw_if_cancelled();
    return std::nullopt;
  }
  const auto begin = given_++ * most_;
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(most_, places_.taken() - begin));
  const std::size_t blocks = (count + Moments::kBlock - 1) / Moments::kBlock;
  return Part{slot.room->view(count), std::span(slot.blocks).first(blocks),
              slot.found ? &*slot.found : nullptr};
}

void PartFiller::release() {
  {
    const std::lock_guard lock(mutex_);
    Slot& slot = slot_of(released_++);
    slot.done = 0;
    slot.ready = false;
    slot.found.reset();
    std::ranges::fill(slot.put, std::size_t{0});
  }
  changed_.notify_all();
}

}  // namespace skde
