#include "service/service.hpp"

#include <cmath>
#include <filesystem>

#include "core/report/error.hpp"
#include "core/report/value_parsers.hpp"

namespace skde::service {
namespace {

auto milliseconds_of_seconds() {
  return [](const std::string& given) {
    return std::chrono::milliseconds(std::llround(1000 * RealNumber(0)(given)));
  };
}

auto byte_count() {
  return [](const std::string& given) { return static_cast<std::uint64_t>(parse_bytes(given)); };
}

void add_limits(cli::OptionTable& table, ServiceLimits& limits) {
  table.group("Limits");
  table.value({.name = "max-upload",
               .value = "BYTES",
               .help = "largest size of a cloud, such as 20G",
               .by_default = "1T"},
              limits.cloud_bytes, byte_count());
  table.value({.name = "token-bytes",
               .value = "BYTES",
               .help = "largest size of all clouds of a token",
               .by_default = "1T"},
              limits.bytes_a_token, byte_count());
  table.value({.name = "token-jobs",
               .value = "N",
               .help = "largest number of unfinished jobs of a token",
               .by_default = "2000"},
              limits.jobs_a_token, WholeNumber<std::size_t>(1, 1000000));
  table.value({.name = "queue",
               .value = "N",
               .help = "largest number of waiting runs of a token",
               .by_default = "1000"},
              limits.queue, WholeNumber<std::size_t>(1, 1000000));
  table.value({.name = "run-time",
               .value = "SECONDS",
               .help = "longest predicted time of a run; one that takes twice as long is stopped",
               .by_default = "86400"},
              limits.run_seconds, RealNumber(0));
  table.value({.name = "sync-time",
               .value = "SECONDS",
               .help = "longest time of a synchronous request",
               .by_default = "120"},
              limits.sync_time, milliseconds_of_seconds());
  table.value({.name = "connections",
               .value = "N",
               .help = "largest number of open connections, of which each owner has a share",
               .by_default = "4096"},
              limits.connections, WholeNumber<std::size_t>(1, 60000));
  table.value({.name = "header-time",
               .value = "SECONDS",
               .help = "longest time until the headers of a request are complete",
               .by_default = "10"},
              limits.header_time, milliseconds_of_seconds());
  table.value(
      {.name = "idle-time",
       .value = "SECONDS",
       .help = "longest idle time of a connection between requests, and 0.4 of it inside one",
       .by_default = "75"},
      limits.idle_time, [&limits](const std::string& given) {
        const auto time = milliseconds_of_seconds()(given);
        limits.body_time = time * 2 / 5;
        return time;
      });
}

}  // namespace

cli::OptionTable make_service_table(ServiceOptions& options) {
  cli::OptionTable table("skde-serve", "--data FOLDER [FLAGS]",
                         "Computes densities for other programs over HTTP (OGC API - Processes). "
                         "Prints one line with its address and its token.");
  table.group("Service");
  table.value({.name = "data",
               .value = "FOLDER",
               .help = "folder for clouds, jobs and results; created if missing"},
              options.data);
  table.value({.name = "listen",
               .value = "HOST:PORT",
               .help = "IP address and port; port 0 takes a free one; an address other than "
                       "loopback needs --token-file",
               .by_default = "127.0.0.1:8080"},
              options.listen, parse_listen_address);
  table.value({.name = "token-file",
               .value = "FILE",
               .help = "file with one token per line, followed by a name; SIGHUP reads it again",
               .by_default = "a token created once, in FOLDER/token"},
              options.token_file);
  table.value({.name = "access-log",
               .value = "FILE",
               .help = "file that gets a line of JSON for each request; SIGHUP opens it again",
               .by_default = "none"},
              options.access_log);
  table.value({.name = "allow-path",
               .value = "FOLDER,...",
               .help = "folders of this machine from which clouds may be named by path",
               .by_default = "none"},
              options.allowed_paths, list_of([](const std::string& given) { return given; }));
  table.value({.name = "keep",
               .value = "DAYS",
               .help = "days that unused jobs, results and clouds are kept; days on which the "
                       "service does not run do not count",
               .by_default = "30"},
              options.keep_days, RealNumber(0));
  table.value(
      {.name = "quota",
       .value = "BYTES",
       .help =
           "limit on the size of all results, of which each owner has an equal share; the least "
           "recently used ones are removed first",
       .by_default = "64G"},
      options.limits.result_bytes, byte_count());
  table.value({.name = "drain",
               .value = "SECONDS",
               .help = "time for runs in progress to end at shutdown; the next service runs "
                       "unfinished ones again",
               .by_default = "10"},
              options.limits.drain_time, milliseconds_of_seconds());
  add_limits(table, options.limits);
  table.most_used({"data", "listen", "token-file", "allow-path", "keep", "quota", "drain",
                   "max-upload", "queue", "run-time"});
  table.example("skde-serve --data ~/skde", "on this machine, with a token of its own");
  table.example("skde-serve --data /srv/skde --listen 0.0.0.0:8080 --token-file /etc/skde/tokens",
                "for other machines, behind a proxy with TLS");
  return table;
}

void check_service_options(const ServiceOptions& options, const cli::ParsedFlags& flags) {
  flags.require_no_positionals();
  if (options.data.empty())
    throw Error(ErrorKind::usage, "no folder for the data is given",
                {"data", "name one with `data=FOLDER`"});
  if (!options.listen.is_loopback() && options.token_file.empty())
    throw Error(ErrorKind::usage, "other machines could reach the service without a token",
                {"listen", "give tokens with `token_file=FILE`"});
  for (const std::string& folder : options.allowed_paths)
    if (!std::filesystem::is_directory(folder))
      throw Error(ErrorKind::usage, "'" + folder + "' is not a folder",
                  {"allow_path", "name folders with `allow_path`"});
}

}  // namespace skde::service
