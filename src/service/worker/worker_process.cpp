#include "service/worker/worker_link.hpp"

#include <omp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "cli/cancellation.hpp"
#include "cli/command_program.hpp"
#include "cli/results/command_result.hpp"
#include "cli/results/result_table.hpp"
#include "cli/terminal_progress.hpp"
#include "core/report/stage_times.hpp"
#include "core/report/thread_room.hpp"
#include "system/host_memory.hpp"
#include "system/stop_watch.hpp"
#if SKDE_HAS_CUDA
#include "gpu/device_info.hpp"
#endif
#include "commands/output/plan_report.hpp"
#include "io/bytes/output_file.hpp"
#include "io/text/json_object.hpp"
#include "service/answer/http_message.hpp"
#include "service/jobs/execution_request.hpp"
#include "service/store/content_hash.hpp"
#include "service/worker/kept_sessions.hpp"
#include "service/worker/result_stream.hpp"

namespace skde::service {

namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // the service is gone, and this process is about to end
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// The folder of a run, which becomes the working folder of this process. It has a link to each
/// input, by the name that clients know, so that results and errors show no other name.
class RunFolder {
 public:
  RunFolder(const fs::path& data, const WorkerOrder& order) try
      : path_(data / order.folder),
        spare_(data / "links" / std::to_string(getpid())),
        links_(order.links),
        predicts_(order.predicts) {
    fs::remove_all(path_);  // of an earlier attempt
    fs::create_directory(path_);
    fs::current_path(path_);
    for (const auto& [name, path] : links_) {
      if (name.find('/') != name.npos) fs::create_directory(fs::path(name).parent_path());
      std::error_code none;
      if (fs::read_symlink(spare_, none) == data / path)
        fs::rename(spare_, name);
      else
        fs::create_symlink(data / path, name);
    }
  } catch (const fs::filesystem_error&) {
    throw Problem(507, "disk", "the disk of the service cannot be written to");
  }
  /// Removes the folder of a prediction; that of a run belongs to the service.
  ~RunFolder() {
    std::error_code ignored;
    if (predicts_) remove_links();
    if (predicts_) fs::remove_all(path_, ignored);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  /// Removes the links; what the run has written stays. The last link is kept aside for the next
  /// run: ext4 passes the entries of removed files one by one for minutes, whenever it makes a
  /// file.
  void remove_links() const {
    for (const auto& [name, path] : links_) {
      std::error_code ignored;
      fs::rename(name, spare_, ignored);
      for (fs::path one = name; !one.empty() && one != "."; one = one.parent_path())
        fs::remove(one, ignored);
    }
  }

 private:
  const fs::path path_, spare_;
  const WorkerOrder::Texts links_;
  const bool predicts_;
};

/// Reports the progress of a run to the service, a few times a second.
class SocketProgress final : public Progress {
 public:
  void start(std::uint64_t run) {
    const std::lock_guard lock(telling_);
    run_ = run;
    stage_ = nullptr;
    last_ = std::chrono::steady_clock::now();
  }

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override {
    const std::lock_guard lock(telling_);
    stage_ = {{"run", run_}, {"stage", stage}, {"total", total}, {"unit", unit}};
  }
  void update(std::uint64_t done) override {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    tell_stage();
    tell({{"run", run_}, {"done", done}});
  }
  /// Stages that end before anyone could see them are not told.
  void tell_stage() {
    const std::lock_guard lock(telling_);
    if (!stage_.is_null()) tell(std::exchange(stage_, nullptr));
  }
  bool cancelled() const override { return cli::cancel_requested(); }
  void tell(const Json& json) {
    const std::lock_guard lock(sending_);
    write_all(kWorkerSocket, io::json_line(json) + '\n');
  }

 private:
  std::mutex telling_;  ///< of the stage that has begun
  Json stage_;          ///< that the service does not know yet
  std::mutex sending_;  ///< on the socket
  std::uint64_t run_ = 0;
  std::chrono::steady_clock::time_point last_{};
};

class WorkerProcess {
 public:
  WorkerProcess(bool has_gpu, bool keeps_little)
      : has_gpu_(has_gpu),
        sessions_(available_memory() / (keeps_little ? 16 : 2), session_options(has_gpu)) {
    cli::set_progress_listener(&progress_);
    io::sync_before_naming(false);  // the service syncs if necessary
  }

  [[noreturn]] void work() {
    std::thread([this] { read_orders(); }).detach();
    progress_.tell({{"ready", true}});
    while (true) execute(next_order());
  }

 private:
  /// The choice of an engine ignores the start of a GPU, as a worker's GPU has started already.
  static SessionOptions session_options(bool has_gpu) {
    SessionOptions options;
    options.resident = has_gpu;
    return options;
  }

  /// Runs on a separate thread, so that a run can be stopped while it computes.
  [[noreturn]] void read_orders() {
    std::string text;
    std::array<char, 65536> piece{};
    while (true) {
      const ssize_t count = read(kWorkerSocket, piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) _exit(0);
      text.append(piece.data(), static_cast<std::size_t>(count));
      for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
        take(io::parse_json(std::string_view(text).substr(0, end), "an order of the service"));
        text.erase(0, end + 1);
      }
    }
  }

  void take(const Json& message) {
    if (message.contains("ping")) {
      progress_.tell_stage();
      return progress_.tell({{"pong", true}});
    }
    if (message.contains("cancel")) return stop(message["cancel"].get<std::uint64_t>());
    const std::lock_guard lock(mutex_);
    if (message.contains("go"))
      allowed_ = message["go"].get<std::uint64_t>();
    else
      orders_.push_back(message.get<WorkerOrder>());
    asked_.notify_one();
  }

  /// Stops a run; one that has not begun is answered immediately.
  void stop(std::uint64_t run) {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = run;
      asked_.notify_one();
      if (stopped_ == current_) cli::request_cancel(true);
      if (std::erase_if(orders_, [&](const WorkerOrder& order) { return order.run == run; }) == 0)
        return;
    }
    progress_.tell({{"run", run}, {"problem", Problem(410, "cancelled", "stopped").json()}});
  }

  WorkerOrder next_order() {
    std::unique_lock lock(mutex_);
    current_ = 0;
    asked_.wait(lock, [&] { return !orders_.empty(); });
    WorkerOrder order = std::move(orders_.front());
    orders_.pop_front();
    current_ = order.run;
    cli::request_cancel(stopped_ == current_);
    return order;
  }

  void execute(const WorkerOrder& order) {
    const StopWatch watch;
    Json reply{{"run", order.run}};
    std::pair<const char*, Json> outcome;  // comes last: members behind it would copy it
    progress_.start(order.run);
    forecast_ = nullptr;
    omp_set_max_active_levels(1);
    sessions_.expect(order.hashes, order.predicts);
    std::optional<RunFolder> folder;  // removed after the reply, as a disk may take milliseconds
    try {
      folder.emplace(data_, order);
      require_as_registered(order);
      if (order.predicts)
        outcome = {"forecast", forecast_of(order)};
      else
        outcome = {"result", result_of(order, *folder)};
      if (!forecast_.is_null()) reply["forecast"] = forecast_;
    } catch (const std::bad_alloc&) {
      outcome = {"problem", Problem(413, "resources", "out of memory",
                                    {"dims", "use smaller `dims`, or `precision=f32`"})
                                .json()};
    } catch (...) {
      outcome = {"problem", Problem::of(std::current_exception()).json()};
    }
    if (outcome.first == std::string_view("problem")) sessions_.forget_newest();
    sessions_.trim();
    reply["seconds"] = watch.seconds();
    reply["sample_bytes"] = sessions_.bytes();
    add_device_memory(reply);
    reply[outcome.first] = std::move(outcome.second);
    progress_.tell(reply);
  }

  void add_device_memory([[maybe_unused]] Json& reply) {
#if SKDE_HAS_CUDA
    if (!has_gpu_ || !gpu::unavailable_reason().empty()) return;
    // Reading the properties takes milliseconds, too long for every run.
    if (device_total_ == 0) device_total_ = gpu::device_info(0).memory;
    reply["device_total"] = device_total_;
    reply["device_used"] = device_total_ - std::min(device_total_, gpu::free_memory());
#endif
  }

  /// Files of the server may change between the request and the end of the run. Throws Problem
  /// (409) then.
  static void require_as_registered(const WorkerOrder& order) {
    for (const auto& [name, stamps] : order.stamps) require_stamps(name, stamps, name);
  }

  /// Predicts what a run needs, in its folder; computes nothing.
  Json forecast_of(const WorkerOrder& order) {
    const Process& process = process_named(order.process);
    WorkForecast forecast;
    if (!process.costly_input.empty())
      process.command.run({order.arguments, "", &sessions_, total_memory(), &forecast});
    return cli::json_of(forecast);
  }

  /// Tells the service what a run takes that nobody has predicted: in the reply if that is less
  /// than asking first. A small run wakes no threads, as the service needs the other cores.
  void foretell(const WorkForecast& forecast) {
    constexpr double kBrief = 0.01, kSmall = 1e-3, kBytes = 1 << 24;
    if (forecast.seconds * thread_count(0) < kSmall) omp_set_max_active_levels(0);
    if (forecast.seconds < kBrief && forecast.result_bytes < kBytes)
      forecast_ = cli::json_of(forecast);
    else
      ask({{"forecast", cli::json_of(forecast)}});
  }

  /// Tells the service, and waits until it allows the run to go on, or stops it.
  void ask(Json message) {
    message["run"] = current_;
    progress_.tell(message);
    std::unique_lock lock(mutex_);
    asked_.wait(lock,
                [&] { return std::exchange(allowed_, 0) == current_ || stopped_ == current_; });
    progress_.throw_if_cancelled();
  }

  /// Runs a command and leaves a folder with all results. The description is written last, with its
  /// check sum on the next line.
  Json result_of(const WorkerOrder& order, const RunFolder& folder) {
    Json result{{"owner", order.owner},
                {"sealed", true},
                {"request", order.request},
                {"files", Json::object()},
                {"values", Json::object()}};
    run_command(order, result);
    require_as_registered(order);
    folder.remove_links();
    for (const auto& [name, file] : order.files.items()) {
      const auto path = file["file"].get<std::string>();
      std::error_code missing;
      const auto bytes = fs::file_size(path, missing);
      if (missing) continue;
      result["files"][name] = file;
      result["files"][name]["bytes"] = bytes;
      if (!order.unkept) result["files"][name]["sum"] = check_sum_of_file(path);
    }
    if (order.unkept) return result;
    const std::string text = io::json_line(result);
    io::OutputFile description("result.json");
    description.write(text + '\n' + check_sum(text) + '\n');
    description.commit();
    return result;
  }

  void run_command(const WorkerOrder& order, Json& result) {
    const Process& process = process_named(order.process);
    if (process.kind == ProcessKind::echo) {
      result["values"]["echo"] = io::parse_json(order.inputs, "the inputs");
      return;
    }
    if (process.kind == ProcessKind::points) return write_points(order.arguments, progress_);
    ResultStream stream(order.streams == "zstd", [this](const Json& told) { ask(told); });
    cli::CommandResult done = process.command.run(
        {.arguments = order.arguments,
         .command_line = cli::command_line("skde " + process.id, order.arguments),
         .sessions = &sessions_,
         .on_forecast = order.unplanned ? [this](const WorkForecast& told) { foretell(told); }
                                        : std::function<void(const WorkForecast&)>(),
         .wants_report = order.report,
         .stream = order.streams.empty() ? nullptr : &stream});
    result["values"]["summary"] = std::move(done.summary);
    if (order.report) result["values"]["report"] = std::move(done.report);
  }

  [[maybe_unused]] const bool has_gpu_;
  const fs::path data_ = fs::current_path();       ///< the folder of the service
  [[maybe_unused]] std::size_t device_total_ = 0;  ///< bytes of the GPU's memory, once queried
  KeptSessions sessions_;
  Json forecast_;  ///< of the current run, if it is told with its result
  SocketProgress progress_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable asked_;
  std::deque<WorkerOrder> orders_;
  std::uint64_t current_ = 0, stopped_ = 0, allowed_ = 0;
};

}  // namespace

int run_worker(const std::string& role) {
  // Shows the worker only its own GPU, as the first one; must precede any use of CUDA.
  const bool has_gpu = role.find_first_not_of("0123456789") == role.npos;
  const bool is_beside = role == "beside";  // sees all GPUs to predict runs, but takes light ones
  if (!is_beside) setenv("CUDA_VISIBLE_DEVICES", has_gpu ? role.c_str() : "", 1);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the worker dies with the service
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ})
    std::signal(number, SIG_IGN);  // the service decides when to end
  WorkerProcess(has_gpu, is_beside).work();
}

}  // namespace skde::service
