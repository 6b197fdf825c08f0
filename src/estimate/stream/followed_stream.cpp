#include "estimate/stream/followed_stream.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/report/error.hpp"
#include "estimate/read/part_reader.hpp"
#include "estimate/stream/density_window.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde {
namespace {

/// An open stream, and the window over it.
class FollowedStream {
 public:
  FollowedStream(const CloudFiles& files, const DensityRequest& request, const WindowSpec& spec,
                 std::int64_t memory_limit, StreamListener& listener, Progress& progress)
      : files_(files),
        asked_{request, {}, spec.moments, memory_limit, spec.window},
        every_(spec.every),
        listener_(listener),
        progress_(progress),
        silent_(progress),
        window_(plan_for(asked_)),
        stream_(open()) {
    window_.describe(describe_cloud(stream_));
  }

  void follow() {
    std::uint64_t told = 0;
    while (true) {
      take_change();
      if (!read()) break;
      if (window_.seen() % every_ != 0) continue;
      told = window_.seen();
      tell();
    }
    if (window_.seen() == 0)
      throw Error(ErrorKind::input,
                  "no samples: every row was empty, dropped, left out or of weight 0",
                  {{}, "check the columns, `weights` and `where`"});
    if (window_.seen() > told) tell();
    while (listener_.is_live()) {
      listener_.wait();
      take_change();
    }
  }

 private:
  SumsPlan plan_for(const SumsRequest& request) const {
    SumsPlan plan = plan_sums(files_, request);
    plan.require_runnable();
    listener_.begin(plan.head);
    return plan;
  }

  /// Sums the window again if the scale of its integers is too fine for the weights with those that
  /// come. At the end of a step it follows from the weights in the window alone, `exactly`, so that
  /// the bits are those of a run over these samples.
  void scale_for(const SamplesView& coming, bool exactly) {
    const bool counted = files_.columns.weighted() || asked_.density.precision == Precision::f64;
    if (asked_.whole || !counted) return;
    SumsRequest asked = asked_;
    asked.largest_weight = window_.largest_weight_with(coming);
    asked.total_weight = window_.total_weight_with(coming);
    if (!(asked.largest_weight > 0)) return;
    const int digits = plan_head(files_, asked).problem.binary_digits,
              now = window_.problem().binary_digits;
    if (exactly ? digits == now : digits >= now) return;
    window_.change(plan_for(asked), silent_);
    asked_ = std::move(asked);
  }

  /// Uses one thread to read: several would wait for whole pieces of a stream that may be slow.
  io::CloudStream open() {
    const io::InputWait meanwhile = serve_meanwhile();
    listener_.waiting(true);
    io::CloudStream stream(files_.paths, files_.columns, files_.non_finite,
                           {.threads = 1, .files = files_.open});
    listener_.waiting(false);
    return stream;
  }

  /// Reads the next samples. Returns false at the end of the stream.
  bool read() {
    const io::InputWait meanwhile = serve_meanwhile();
    listener_.waiting(true);
    const bool more =
        stream_.read(chunk_, static_cast<std::size_t>(every_ - window_.seen() % every_), progress_);
    listener_.waiting(false);
    if (!more) return false;
    const double largest = asked_.whole ? asked_.whole->moments.largest_weight() : INFINITY;
    if (std::ranges::any_of(chunk_.weights, [&](double w) { return w > largest; }))
      throw Error(ErrorKind::input, "a sample has a larger weight than any sample of the moments",
                  {"moments", "give `moments` that include the samples with the largest weights"});
    window_.make_room(chunk_.size(), silent_);
    scale_for(chunk_.view(), false);
    window_.push(chunk_.view(), silent_);
    return true;
  }

  /// A silent pipe does not delay requests: rows that are being read are not yet in the window.
  io::InputWait serve_meanwhile() {
    std::function<void()> serve;
    if (listener_.is_live()) serve = [this] { take_change(); };
    return io::InputWait(std::move(serve));
  }

  /// Serves requests until none is left; a listener that pauses the stream answers only then.
  void take_change() {
    progress_.throw_if_cancelled();
    while (const std::optional<DensityRequest> next = listener_.changed()) {
      change_to(*next);
      progress_.throw_if_cancelled();
    }
  }

  void change_to(const DensityRequest& next) {
    SumsRequest asked = asked_;
    asked.density = next;
    try {
      window_.change(plan_for(asked), silent_);
      asked_ = std::move(asked);
      if (window_.held() > 0) tell();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      listener_.refused(error);
    }
  }

  void tell() {
    scale_for({}, true);
    listener_.use(window_.density(asked_.density.normalization));
  }

  const CloudFiles& files_;
  SumsRequest asked_;
  std::uint64_t every_;
  StreamListener& listener_;
  Progress& progress_;
  SilentProgress silent_;
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
