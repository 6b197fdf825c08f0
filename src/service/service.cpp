#include "service/service.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <utility>

#include "cli/standard_output.hpp"
#include "cli/terminal_text.hpp"
#include "core/error.hpp"
#include "service/access_tokens.hpp"
#include "service/http_problem.hpp"
#include "service/retention.hpp"
#include "service/router.hpp"

namespace skde::service {
namespace {

namespace asio = boost::asio;

/// As many connections as the limits allow want a descriptor each.
void raise_descriptor_limit() {
  struct rlimit limit {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Everything of a service, in the order in which one part needs the other.
class Service {
 public:
  explicit Service(const ServiceOptions& options)
      : options_(options),
        folder_(options.data),
        allowed_(options.allowed_paths),
        tokens_(options.token_file.empty() ? AccessTokens::of_folder(folder_.path())
                                           : AccessTokens::from_file(options.token_file)),
        storage_(folder_.database(), context_),
        clouds_(context_, folder_, allowed_, storage_),
        uploads_(folder_, storage_),
        results_(folder_),
        jobs_(context_, clouds_, results_, storage_, options.limits, metrics_),
        state_{context_, tokens_, options.limits, clouds_,  uploads_,
               results_, jobs_,   storage_,       traffic_, metrics_},
        router_(state_),
        retention_(context_, state_, static_cast<std::int64_t>(options.keep_days * 864e5),
                   options.limits.result_bytes),
        listener_(context_, options.listen, router_, options.limits, traffic_),
        signals_(context_, SIGTERM, SIGINT),
        deadline_(context_) {}

  void run() {
    storage_.post([this](Database& database) { load(database); },
                  [this](const std::exception_ptr& failure) {
                    if (failure) refuse_table(Problem::of(failure));
                    begin();
                  });
    const auto stays = asio::make_work_guard(context_);  // until finish()
    context_.run();
  }

 private:
  /// On the storage's thread, before anything else uses what it fills.
  void load(Database& database) {
    clouds_.load(database);
    uploads_.load(database, clouds_);
    jobs_.load(database);
    retention_.load(database);
    set_unknown_files_aside();
  }

  /// Nothing is moved or removed: the table says what is whose.
  [[noreturn]] void refuse_table(const Problem& problem) const {
    throw Error(ErrorKind::input,
                fmt::format("{}: cannot be read: {}", folder_.database(), problem.what()),
                {"data", "mend it with sqlite3's '.recover', or put an older copy in its place"});
  }

  /// The table may be an older one, or have been moved away: what it does not list is not its own
  /// to remove.
  void set_unknown_files_aside() {
    const std::size_t count = folder_.set_aside("clouds", [&](auto id) {
      return clouds_.all().contains(id);
    }) + folder_.set_aside("incoming", [&](auto id) { return uploads_.all().contains(id); });
    if (count > 0)
      cli::tell(fmt::format(
          "skde-serve: {} files of clouds that {} does not list were moved to {}/aside\n", count,
          folder_.database(), folder_.path()));
  }

  void begin() {
    jobs_.start();
    listener_.start();
    retention_.start();
    signals_.async_wait([this](boost::system::error_code problem, int) {
      if (!problem) end();
    });
    const bool v6 = options_.listen.host.find(':') != std::string::npos;
    const std::string host = v6 ? '[' + options_.listen.host + ']' : options_.listen.host;
    const std::string address = fmt::format("http://{}:{}/", host, listener_.port());
    const std::string& token = tokens_.first();
    cli::print(
        options_.token_file.empty()
            ? fmt::format("skde-serve {0} token {1} view {0}view#token={1}\n", address, token)
            : fmt::format("skde-serve {0} tokens of {1} view {0}view\n", address,
                          options_.token_file));
  }

  /// Takes nothing new, waits for what is in work, and leaves the rest to the next service.
  void end() {
    if (state_.draining) return;
    state_.draining = true;
    listener_.stop();
    retention_.stop();
    jobs_.drain([this] { finish(); });
    deadline_.expires_after(options_.limits.drain_time);
    deadline_.async_wait([this](boost::system::error_code problem) {
      if (!problem) finish();
    });
  }

  /// Behind the answers that are on their way.
  void finish() {
    if (std::exchange(finishing_, true)) return;
    deadline_.cancel();
    jobs_.take_back_attempts();
    storage_.post([](Database&) {}, [this](const std::exception_ptr&) { context_.stop(); });
  }

  const ServiceOptions& options_;
  DataFolder folder_;
  AllowedFolders allowed_;
  AccessTokens tokens_;
  asio::io_context context_{1};
  Traffic traffic_;
  JobMetrics metrics_;
  StorageThread storage_;
  CloudShelf clouds_;
  TusUploads uploads_;
  ResultStore results_;
  JobBoard jobs_;
  ServiceState state_;
  Router router_;
  Retention retention_;
  Listener listener_;
  asio::signal_set signals_;
  asio::steady_timer deadline_;
  bool finishing_ = false;
};

}  // namespace

void serve(const ServiceOptions& options) {
  umask(077);  // what is kept here is for nobody else on this machine
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Workers share the cores with the service, and are idle for long: threads that spin while they
  // wait make small runs many times slower on a machine that has other work.
  setenv("OMP_WAIT_POLICY", "passive", 0);
  raise_descriptor_limit();
  Service(options).run();
}

}  // namespace skde::service
