#include "service/service.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <utility>

#include "cli/outputs.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/report/error.hpp"
#include "service/answer/http_message.hpp"
#include "service/http/landing_routes.hpp"
#include "service/http/service_routes.hpp"
#include "service/store/access_tokens.hpp"
#include "service/store/database.hpp"
#include "service/worker/worker_link.hpp"

namespace skde::service {
namespace {

namespace asio = boost::asio;

/// Raises the limit of descriptors, as every connection needs one.
void raise_descriptor_limit() {
  struct rlimit limit {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Limits the connections so that each has a descriptor for itself and one for a file, and the
/// service, its workers and its tables have enough.
void fit_to_descriptors(ServiceLimits& limits) {
  constexpr rlim_t kReserve = 48, kLeast = 4;
  struct rlimit limit {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const rlim_t most = limit.rlim_cur > kReserve ? (limit.rlim_cur - kReserve) / 2 : kLeast;
  limits.connections =
      std::min(limits.connections, static_cast<std::size_t>(std::max(kLeast, most)));
}

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kSweepPause{30000}, kLeastPause{1000};

/// Removes what was set aside long ago. The time of the move is that of the last change of the
/// inode.
void empty_aside(const std::string& aside, const std::function<bool(std::int64_t)>& is_old) {
  std::error_code ignored;
  for (const fs::directory_entry& part : fs::directory_iterator(aside, ignored))
    for (const fs::directory_entry& file : fs::directory_iterator(part.path(), ignored)) {
      struct stat about {};
      if (stat(file.path().c_str(), &about) == 0 && is_old(about.st_ctim.tv_sec * 1000))
        fs::remove(file.path(), ignored);
    }
}

std::int64_t steady_milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Removes what has not been used for long, measured by the time that the service ran, and the
/// oldest results above a quota.
class Retention {
 public:
  Retention(boost::asio::io_context& context, ServiceState& state, std::int64_t keep_milliseconds);
  /// Reads when the service ran before; called before connections are accepted.
  void load(Database& database) { served_.load(database); }
  /// Removes nothing at the start, as the clock may not be set yet.
  void start();
  /// Records what was used, for the next service.
  void stop();

 private:
  void wait();
  void remember();
  void sweep();
  bool is_old(std::int64_t used) const { return served_.since(used) > keep_; }
  bool is_old(const Job& job) const;

  boost::asio::steady_timer timer_;
  ServiceState& state_;
  std::int64_t keep_;
  ServedTime served_;
};

Retention::Retention(boost::asio::io_context& context, ServiceState& state,
                     std::int64_t keep_milliseconds)
    : timer_(context), state_(state), keep_(keep_milliseconds) {}

void Retention::start() {
  remember();
  wait();
}

void Retention::stop() {
  timer_.cancel();
  remember();
}

void Retention::wait() {
  // Looks more often if data are kept only for seconds.
  timer_.expires_after(std::clamp(std::chrono::milliseconds(keep_ / 2), kLeastPause, kSweepPause));
  timer_.async_wait([this](boost::system::error_code problem) {
    if (problem) return;
    remember();
    sweep();
    wait();
  });
}

void Retention::remember() {
  served_.run(now_milliseconds(), steady_milliseconds());
  served_.forget_before(keep_);
  state_.clouds.save_used();
  state_.storage.post([served = served_](Database& database) {
    served.save(database);
    database.shrink();
  });
}

/// A job is kept while its results are in use.
bool Retention::is_old(const Job& job) const {
  if (!is_old(job.updated)) return false;
  if (job.key.empty()) return true;
  const std::int64_t used = state_.results.used_at(job.key);
  return used == 0 || is_old(used);
}

void Retention::sweep() {
  std::vector<JobPtr> jobs;
  for (const auto& [id, job] : state_.jobs.table().all())
    if (job->ended() && is_old(*job)) jobs.push_back(job);
  for (const JobPtr& job : jobs) state_.jobs.dismiss(job, {});
  std::vector<std::string> clouds, uploads;
  for (const auto& [id, cloud] : state_.clouds.all())
    if (is_old(cloud.used) && !state_.jobs.needs_cloud(id)) clouds.push_back(id);
  for (const auto& [id, upload] : state_.uploads.all())
    if (!upload.busy && !upload.complete && is_old(state_.uploads.used(upload)))
      uploads.push_back(id);
  for (const std::string& id : clouds) state_.clouds.remove(id, {});
  for (const std::string& id : uploads) state_.uploads.remove(id, {});
  state_.results.remove_if([&](std::int64_t used) { return is_old(used); });
  state_.storage.post(
      [aside = state_.clouds.folder().aside(), served = served_, keep = keep_](Database&) {
        empty_aside(aside, [&](std::int64_t used) { return served.since(used) > keep; });
      });
}

class Service {
 public:
  explicit Service(const ServiceOptions& options)
      : options_(options),
        state_(options.limits, options.data, options.allowed_paths, options.token_file),
        router_(make_router(state_)),
        retention_(state_.context, state_, static_cast<std::int64_t>(options.keep_days * 864e5)),
        listener_(state_.context, options.listen, {*router_, options.limits, state_.traffic}),
        signals_(state_.context, SIGTERM, SIGINT, SIGHUP),
        deadline_(state_.context),
        look_(state_.context) {
    state_.traffic.log.open(options.access_log);
  }

  void run() {
    state_.storage.post([this](Database& database) { load(database); },
                        [this](const std::exception_ptr& failure) {
                          if (failure) refuse_table(Problem::of(failure));
                          begin();
                        });
    const auto stays = asio::make_work_guard(state_.context);  // until finish()
    while (!works()) {
    }
    listener_.end_all();  // while the objects that they write to still exist
  }

 private:
  /// Returns false if a handler has failed, for example for lack of memory. This ends only the
  /// handler's connection; afterwards there is more memory again.
  bool works() {
    try {
      state_.context.run();
      return true;
    } catch (const std::exception& error) {
      if (!begun_) throw;
      for (const char* const text : {"skde-serve: warning: a request failed: ", error.what(), "\n"})
        cli::tell(text);  // needs no memory
      return false;
    }
  }

  /// Runs on the storage thread, before anything else uses the data.
  void load(Database& database) {
    state_.clouds.load(database);
    state_.uploads.load(database, state_.clouds);
    state_.jobs.table().load(database);
    state_.results.load();
    retention_.load(database);
    set_unknown_files_aside();
  }

  /// Moves and removes nothing: only the table says who owns which file.
  [[noreturn]] void refuse_table(const Problem& problem) const {
    throw Error(ErrorKind::input,
                fmt::format("{}: cannot be read: {}", state_.folder.database(), problem.what()),
                {"data", kMendDatabase});
  }

  /// The table may be an old copy, or may have been moved away; so files that it does not list are
  /// not removed.
  void set_unknown_files_aside() {
    const std::size_t count = state_.folder.set_aside("clouds", [&](auto id) {
      return state_.clouds.all().contains(id);
    }) + state_.folder.set_aside("incoming", [&](auto id) {
      return state_.uploads.all().contains(id);
    });
    if (count > 0)
      cli::tell(fmt::format(
          "skde-serve: {} files of clouds that {} does not list were moved to {}/aside\n", count,
          state_.folder.database(), state_.folder.path()));
  }

  void begin() {
    state_.jobs.start([this](Worker::Events events, const std::string& role) {
      return start_worker(state_.context, std::move(events), role, state_.folder.path());
    });
    listener_.start();
    retention_.start();
    expect_signal();
    begun_ = true;
    const bool v6 = options_.listen.host.find(':') != std::string::npos;
    const std::string host = v6 ? '[' + options_.listen.host + ']' : options_.listen.host;
    const std::string address = fmt::format("http://{}:{}/", host, listener_.port());
    const bool own = options_.token_file.empty();
    std::string line =
        fmt::format("skde-serve {} {}", address,
                    own ? "token " + state_.tokens.first() : "tokens of " + options_.token_file);
    if (!embedded_files().empty())
      line += fmt::format(" view {}view{}", address, own ? "#token=" + state_.tokens.first() : "");
    cli::print(line + '\n');
  }

  void expect_signal() {
    signals_.async_wait([this](boost::system::error_code problem, int signal) {
      if (problem) return;
      signal == SIGHUP ? reload() : end();
      expect_signal();
    });
  }

  /// Reads the tokens again, and opens the log anew after a rotation. What cannot be read stays as
  /// it was.
  void reload() {
    try {
      state_.traffic.log.open(options_.access_log);
      state_.tokens = AccessTokens::read(options_.token_file, state_.folder.path());
      cli::tell("skde-serve: the tokens were read again\n");
    } catch (const Error& error) {
      cli::tell(fmt::format("skde-serve: warning: {}; nothing is reloaded\n", error.what()));
    }
  }

  /// Accepts nothing new, waits for the runs in progress, and leaves the rest to the next service.
  void end() {
    if (state_.draining) return;
    state_.draining = true;
    listener_.stop();
    retention_.stop();
    state_.jobs.runs().drain([this] { wait_for_answers(); });
    deadline_.expires_after(options_.limits.drain_time);
    deadline_.async_wait([this](boost::system::error_code problem) {
      if (!problem) finish();
    });
  }

  /// Waits for downloads and uploads too; ends the streams of events.
  void wait_for_answers() {
    listener_.end_streams();
    if (!listener_.works()) return finish();
    look_.expires_after(std::chrono::milliseconds(20));
    look_.async_wait([this](boost::system::error_code problem) {
      if (!problem) wait_for_answers();
    });
  }

  void finish() {
    if (std::exchange(finishing_, true)) return;
    deadline_.cancel();
    look_.cancel();
    state_.jobs.runs().take_back_attempts();
    state_.storage.post([](Database&) {},
                        [this](const std::exception_ptr&) { state_.context.stop(); });
  }

  const ServiceOptions& options_;
  ServiceState state_;
  std::unique_ptr<RequestHandler> router_;
  Retention retention_;
  Listener listener_;
  asio::signal_set signals_;
  asio::steady_timer deadline_, look_;
  bool begun_ = false, finishing_ = false;
};

}  // namespace

void serve(const ServiceOptions& options) {
  umask(077);  // the files are private to this user
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Workers share the cores with the service, and are often idle: spinning threads would slow small
  // runs down many times if the machine has other work.
  setenv("OMP_WAIT_POLICY", "passive", 0);
  raise_descriptor_limit();
  keep_memory_reserve();
  ServiceOptions fitted = options;
  fit_to_descriptors(fitted.limits);
  Service(fitted).run();
}

}  // namespace skde::service
