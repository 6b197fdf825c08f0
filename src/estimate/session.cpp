#include "estimate/session.hpp"

#include <fmt/core.h>

#include <utility>

#include "core/report/error.hpp"
#include "engines/cpu/host_values.hpp"
#include "estimate/plan/plan_density.hpp"
#include "estimate/read/input_error.hpp"
#include "estimate/stream/followed_stream.hpp"
#include "estimate/sum/point_density.hpp"
#include "estimate/sum/run_density.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/volumes/volume_formats.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

/// Calls `work`, and adds the inputs' names to errors about the cloud as a whole.
template <class Work>
auto with_inputs_named(const CloudFiles& files, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw naming_inputs(error, files.paths);
  }
}

/// Returns the path of a volume, which must be the only file; empty if there is no volume.
std::string volume_in(const CloudFiles& files) {
  if (files.paths.empty())
    throw Error(ErrorKind::usage, "no file is given; name files of points or a volume");
  std::string volume = io::first_volume(files.paths, files.open);
  if (!volume.empty() && files.paths.size() > 1)
    throw Error(ErrorKind::usage,
                fmt::format("{}: is a volume; open it alone, without other files", volume));
  return volume;
}

Density read_density(const std::string& path, const io::OpenFiles& files) {
  io::VolumeFile file = io::read_volume(path, files);
  DensityFacts facts;
  facts.grid = file.volume.grid();
  facts.precision = file.volume.precision();
  facts.peak = file.volume.maximum();
  facts.warnings = io::field_warnings(path, file);
  return {std::move(facts), std::move(file.metadata),
          BufferLease(std::make_unique<HostValues>(std::move(file.volume)))};
}

}  // namespace

class Session::State {
 public:
  explicit State(const SessionOptions& options) : source_{.options = options} {}

  void adopt(CloudFiles files, std::shared_ptr<const SampleCloud> cloud, bool in_parts,
             std::string volume_file) {
    source_.forget();
    source_.cloud = std::move(cloud);
    source_.in_parts = in_parts;
    source_.files = std::move(files);
    if (source_.cloud) source_.files.open = {};
    source_.files.open.memory_limit = source_.memory_limit();
    volume_file_ = std::move(volume_file);
    open_ = true;
  }

  /// Calls `work`, and names the files in its errors. Closes the files unless a run follows:
  /// sessions may live long, and deleted files would stay on the disk as long as they are open.
  template <class Work>
  auto run(const Work& work, bool run_follows = false) {
    require_samples();
    auto result = with_inputs_named(source_.files, work);
    if (run_follows) return result;
    source_.files.open = {};
    source_.files.open.memory_limit = source_.memory_limit();
    if (io::first_read_once(source_.files.paths).empty()) source_.beginning.reset();
    return result;
  }

  CloudSource& source() { return source_; }
  const CloudSource& source() const { return source_; }
  const std::string& volume_file() const { return volume_file_; }
  void require_open() const {
    if (!open_) throw Error(ErrorKind::usage, "no samples are open; open a file of points first");
  }
  void require_samples() const {
    require_open();
    if (volume_file_.empty()) return;
    io::read_volume_head(volume_file_, source_.files.open);  // says if it only has such a name
    throw Error(ErrorKind::usage,
                fmt::format("{}: is a volume, not samples; name the points that it was made of",
                            volume_file_));
  }
  bool is_open() const { return open_; }

 private:
  bool open_ = false;
  std::string volume_file_;  // empty if a cloud is open
  CloudSource source_;
};

Session::Session(const SessionOptions& options) : state_(std::make_unique<State>(options)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

void Session::open(const CloudFiles& given, Progress& progress) {
  CloudFiles files = given;
  files.open.memory_limit = state_->source().memory_limit();
  if (std::string volume = volume_in(files); !volume.empty())
    return state_->adopt(files, nullptr, false, std::move(volume));
  const double room = static_cast<double>(state_->source().memory_limit() - kProgramBytes);
  CloudReading reading =
      with_inputs_named(files, [&] { return read_cloud(files, room, progress); });
  if (!reading.cloud)
    throw Error(ErrorKind::resources,
                fmt::format("{}: the samples do not fit into memory", files.paths.front()),
                {"memory_limit",
                 "use fewer samples, or have skde density read them in parts and open its volume"});
  state_->adopt(files, std::move(reading.cloud), false, "");
}

void Session::open(Samples points) {
  const auto owner = std::make_shared<const Samples>(std::move(points));
  open(owner->view(), owner);
}

void Session::open(std::vector<double> xyz, std::vector<double> weights) {
  open(Samples{std::move(xyz), std::move(weights)});
}

void Session::open(const SamplesView& points, std::shared_ptr<const void> owner) {
  open(make_cloud(points, std::move(owner)));
}

void Session::open(std::shared_ptr<const SampleCloud> cloud) {
  state_->adopt({}, std::move(cloud), false, "");
}

void Session::open_in_parts(const CloudFiles& files) {
  std::string volume = volume_in(files);
  const bool is_cloud = volume.empty();
  state_->adopt(files, nullptr, is_cloud, std::move(volume));
}

bool Session::is_open(const CloudFiles& files) const {
  CloudFiles read = state_->source().files;
  read.columns.width_kernel = files.columns.width_kernel;  // settled by each density
  return state_->is_open() && read == files;
}

const std::shared_ptr<const SampleCloud>& Session::cloud() const { return state_->source().cloud; }

DensityPlan Session::plan(const DensityRequest& request, Progress& progress,
                          const PlanOrders& orders) {
  return state_->run([&] { return plan_density(state_->source(), request, orders, progress); },
                     orders.runs);
}

DensityPlan Session::plan(const DensityRequest& request, Progress& progress) {
  return plan(request, progress, {});
}

DensityPlan Session::plan(const DensityRequest& request, const TargetPoints& points,
                          const PointWishes& wishes, Progress& progress) {
  return state_->run([&] {
    return set_up_densities(state_->source(), request, points, wishes, false, progress).plan;
  });
}

DensityPlan Session::plan_means(const DensityRequest& request, const TargetPoints& points,
                                std::size_t channels, Progress& progress) {
  return state_->run([&] {
    return set_up_means(state_->source(), request, points, channels, false, progress).plan;
  });
}

Density Session::compute(const DensityPlan& plan, Progress& progress) {
  return state_->run([&] { return run_to_faces(state_->source(), plan, progress); });
}

DensityFacts Session::stream(const DensityPlan& plan, SliceSink& sink, Progress& progress) {
  return state_->run([&] { return stream_to_faces(state_->source(), plan, sink, progress); });
}

Density Session::compute(const DensityRequest& request, Progress& progress) {
  state_->require_open();
  const StopWatch watch;
  Density density;
  if (const std::string& volume = state_->volume_file(); !volume.empty()) {
    progress.begin("read " + volume, 0, "");
    density = read_density(volume, state_->source().files.open);
  } else {
    density = compute(plan(request, progress, {.runs = true}), progress);
  }
  density.facts().seconds = watch.seconds();
  return density;
}

Density Session::compute(const DensityRequest& request) {
  NoProgress silent;
  return compute(request, silent);
}

DensityFacts Session::stream(const DensityRequest& request, SliceSink& sink, Progress& progress) {
  return stream(plan(request, progress, orders_for(sink)), sink, progress);
}

PointDensity Session::evaluate(const DensityRequest& request, const TargetPoints& points,
                               const PointWishes& wishes, Progress& progress) {
  return state_->run(
      [&] { return evaluate_at(state_->source(), request, points, wishes, progress); });
}

PointMeans Session::means(const DensityRequest& request, const TargetPoints& points,
                          std::span<const double> b, std::size_t channels, Progress& progress) {
  return state_->run(
      [&] { return means_at_points(state_->source(), request, points, b, channels, progress); });
}

void Session::follow(const DensityRequest& request, const WindowSpec& spec,
                     const std::function<void(Density)>& use, Progress& progress) {
  class User final : public StreamListener {
   public:
    explicit User(const std::function<void(Density)>& use) : use_(use) {}
    void use(MergedDensity merged) override { use_(density_of(std::move(merged))); }

   private:
    const std::function<void(Density)>& use_;
  };
  User user(use);
  follow(request, spec, user, progress);
}

void Session::follow(const DensityRequest& request, const WindowSpec& spec,
                     StreamListener& listener, Progress& progress) {
  state_->require_open();
  const CloudSource& source = state_->source();
  if (!state_->volume_file().empty() || source.cloud)
    throw Error(ErrorKind::usage, "the files of a followed stream must be opened in parts");
  with_inputs_named(source.files, [&] {
    follow_stream(source.files, request, spec, source.options.memory_limit, listener, progress);
  });
}

Density Session::density_of(MergedDensity merged) {
  DensityFacts facts;
  facts.grid = merged.volume.grid();
  facts.precision = merged.volume.precision();
  facts.peak = merged.peak;
  facts.warnings = std::move(merged.warnings);
  return {std::move(facts), std::move(merged.metadata),
          BufferLease(std::make_unique<HostValues>(std::move(merged.volume)))};
}

}  // namespace skde
