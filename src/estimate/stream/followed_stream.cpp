#include "estimate/stream/followed_stream.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/report/error.hpp"
#include "core/version.hpp"
#include "estimate/stream/density_window.hpp"
#include "estimate/stream/sums_place.hpp"
#include "io/bytes/input_wait.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde {
namespace {

/// A stream that is open, and the window over it.
class FollowedStream {
 public:
  FollowedStream(const CloudFiles& files, const DensityRequest& request, const WindowSpec& spec,
                 std::int64_t memory_limit, StreamListener& listener, Progress& progress)
      : files_(files),
        request_(request),
        spec_(spec),
        memory_limit_(memory_limit),
        listener_(listener),
        progress_(progress),
        silent_(progress),
        window_(window_for(request)),
        stream_(open()) {
    window_.describe(columns_of(stream_));
  }

  void follow() {
    std::uint64_t told = 0;
    while (true) {
      take_change();
      if (!read()) break;
      if (window_.seen() % spec_.every != 0) continue;
      told = window_.seen();
      tell();
    }
    if (window_.seen() == 0)
      throw Error(ErrorKind::input,
                  "no samples: every row was empty, dropped, left out or of weight 0");
    if (window_.seen() > told) tell();
    while (listener_.is_live()) {
      listener_.wait();
      take_change();
    }
  }

 private:
  DensityWindow window_for(const DensityRequest& request) const {
    const PartialHead head = head_of(request);
    return {head, static_cast<std::size_t>(spec_.window), place_of(request, head)};
  }

  /// The CPU, unless GPUs are named: what changes at a time is little.
  static WholeSumsPlace place_of(const DensityRequest& request, const PartialHead& head) {
    return sums_place(request, head.problem,
                      {0, head.problem.grid.dims[2], devices_for_sums(request, false)});
  }

  PartialHead head_of(const DensityRequest& request) const {
    PartialHead head = set_up_parts({.density = request,
                                     .whole = spec_.moments,
                                     .memory_limit = memory_limit_,
                                     .most_samples = static_cast<double>(spec_.window),
                                     .largest_weight = largest_weight()},
                                    files_);
    const double scale = std::ldexp(head.problem.growth, head.problem.binary_digits);
    if (largest_weight() * static_cast<double>(spec_.window) * scale > 0x1p62)
      throw Error(ErrorKind::usage, "the window holds more weight than the sums have digits for",
                  {"window", "use a smaller `window`"});
    listener_.begin(head);
    return head;
  }

  /// Without moments a power of two that none has been above.
  double largest_weight() const {
    return spec_.moments ? spec_.moments->moments.largest_weight() : largest_weight_;
  }

  /// Gives whole numbers another scale where samples weigh more than any before them, or are the
  /// first ones: those in the window are summed anew. Heavier ones have room for a while then.
  void make_room_for(const std::vector<double>& weights) {
    constexpr double kRoom = 16;
    if (spec_.moments || weights.empty()) return;
    const double most = *std::ranges::max_element(weights);
    if (!(most > 0) || (window_.seen() > 0 && most <= largest_weight_)) return;
    largest_weight_ = std::exp2(std::ceil(std::log2(most))) * kRoom;
    const PartialHead head = head_of(request_);
    window_.change(head, place_of(request_, head), silent_);
  }

  /// One thread reads: others would wait for whole pieces of what may come slowly.
  io::CloudStream open() {
    const io::InputWait meanwhile = serve_meanwhile();
    listener_.waiting(true);
    io::CloudStream stream(files_.paths, files_.columns, files_.non_finite,
                           {.threads = 1, .files = files_.open});
    listener_.waiting(false);
    return stream;
  }

  static PartialCloud columns_of(const io::CloudStream& stream) {
    PartialCloud cloud;
    cloud.units = stream.columns().units();
    cloud.axis_names = stream.columns().axis_names();
    cloud.frame = stream.columns().frame;
    cloud.where = stream.columns().where;
    cloud.version = kVersion;
    return cloud;
  }

  /// False at the end of the stream.
  bool read() {
    const io::InputWait meanwhile = serve_meanwhile();
    listener_.waiting(true);
    const bool more = stream_.read(
        chunk_, static_cast<std::size_t>(spec_.every - window_.seen() % spec_.every), progress_);
    listener_.waiting(false);
    if (!more) return false;
    make_room_for(chunk_.weights);
    const double largest = largest_weight();
    if (spec_.moments && std::ranges::any_of(chunk_.weights, [&](double w) { return w > largest; }))
      throw Error(ErrorKind::input, "a sample weighs more than any that the moments are of",
                  {"moments", "give `moments` of samples with the largest weights"});
    window_.push(chunk_.view(), silent_);
    return true;
  }

  /// A pipe that brings nothing does not hold up requests: rows that are being read are no part of
  /// the window yet.
  io::InputWait serve_meanwhile() {
    std::function<void()> serve;
    if (listener_.is_live()) serve = [this] { take_change(); };
    return io::InputWait(std::move(serve));
  }

  void take_change() {
    progress_.throw_if_cancelled();
    const std::optional<DensityRequest> next = listener_.changed();
    if (!next) return;
    try {
      const PartialHead head = head_of(*next);
      window_.change(head, place_of(*next, head), silent_);
      request_ = *next;
      if (window_.held() > 0) tell();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      listener_.refused(error);
    }
  }

  void tell() { listener_.use(window_.density(request_.normalization)); }

  const CloudFiles& files_;
  DensityRequest request_;
  const WindowSpec& spec_;
  std::int64_t memory_limit_;
  StreamListener& listener_;
  Progress& progress_;
  SilentProgress silent_;
  double largest_weight_ = 1;
  DensityWindow window_;
  io::CloudStream stream_;
  Samples chunk_;
};

}  // namespace

void follow_stream(const CloudFiles& files, const DensityRequest& request, const WindowSpec& spec,
                   std::int64_t memory_limit, StreamListener& listener, Progress& progress) {
  FollowedStream(files, request, spec, memory_limit, listener, progress).follow();
}

}  // namespace skde
