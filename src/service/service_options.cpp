#include "service/service_options.hpp"

#include <cmath>
#include <filesystem>

#include "core/report/byte_size.hpp"
#include "core/report/error.hpp"

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
  table.value(
      {.name = "max-upload", .value = "BYTES", .help = "of a cloud, as 20G", .by_default = "1T"},
      limits.cloud_bytes, byte_count());
  table.value({.name = "token-bytes",
               .value = "BYTES",
               .help = "of all clouds of a token",
               .by_default = "1T"},
              limits.bytes_a_token, byte_count());
  table.value({.name = "token-jobs",
               .value = "N",
               .help = "jobs of a token that have not ended",
               .by_default = "2000"},
              limits.jobs_a_token, WholeNumber<std::size_t>(1, 1000000));
  table.value(
      {.name = "queue", .value = "N", .help = "runs of a token that wait", .by_default = "1000"},
      limits.queue, WholeNumber<std::size_t>(1, 1000000));
  table.value({.name = "run-time",
               .value = "SECONDS",
               .help = "that a run may be expected to take, by the offers of the engines",
               .by_default = "86400"},
              limits.run_seconds, RealNumber(0));
  table.value({.name = "sync-time",
               .value = "SECONDS",
               .help = "that somebody may wait for a synchronous run",
               .by_default = "120"},
              limits.sync_time, milliseconds_of_seconds());
  table.value(
      {.name = "connections", .value = "N", .help = "connections at a time", .by_default = "4096"},
      limits.connections, WholeNumber<std::size_t>(1, 60000));
  table.value({.name = "header-time",
               .value = "SECONDS",
               .help = "for the headers of a request to come",
               .by_default = "10"},
              limits.header_time, milliseconds_of_seconds());
  table.value({.name = "idle-time",
               .value = "SECONDS",
               .help = "that a connection may be silent between requests, and 0.4 of it inside one",
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
                         "Computes densities for other programs, over HTTP (OGC API - Processes). "
                         "Prints one line with its address and its token.");
  table.group("Service");
  table.value({.name = "data",
               .value = "FOLDER",
               .help = "where clouds, jobs and results lie; made where it is not there"},
              options.data);
  table.value({.name = "listen",
               .value = "HOST:PORT",
               .help = "numbers of an address; port 0 takes a free one; other addresses than the "
                       "loopback's want --token-file",
               .by_default = "127.0.0.1:8080"},
              options.listen, parse_listen_address);
  table.value({.name = "token-file",
               .value = "FILE",
               .help = "a token a line, with a name behind it",
               .by_default = "one that is made once, in FOLDER/token"},
              options.token_file);
  table.value({.name = "allow-path",
               .value = "FOLDER,...",
               .help = "folders of this machine below which clouds may be named by their path",
               .by_default = "none"},
              options.allowed_paths, list_of([](const std::string& given) { return given; }));
  table.value({.name = "keep",
               .value = "DAYS",
               .help = "that jobs, results and clouds stay without being used; days on which the "
                       "service does not run do not count",
               .by_default = "30"},
              options.keep_days, RealNumber(0));
  table.value({.name = "quota",
               .value = "BYTES",
               .help = "of all results; the ones that were used longest ago go first",
               .by_default = "64G"},
              options.limits.result_bytes, byte_count());
  table.value({.name = "drain",
               .value = "SECONDS",
               .help = "for runs in work to end when the service is told to; what has not is run "
                       "again by the next one",
               .by_default = "10"},
              options.limits.drain_time, milliseconds_of_seconds());
  add_limits(table, options.limits);
  table.most_used({"data", "listen", "token-file", "allow-path", "keep", "quota", "drain",
                   "max-upload", "queue", "run-time"});
  table.example("skde-serve --data ~/skde", "on this machine, with a token of its own");
  table.example("skde-serve --data /srv/skde --listen 0.0.0.0:8080 --token-file /etc/skde/tokens",
                "for others, behind a proxy that speaks TLS");
  return table;
}

void check_service_options(const ServiceOptions& options, const cli::ParsedFlags& flags) {
  flags.require_no_positionals("skde-serve");
  if (options.data.empty())
    throw Error(ErrorKind::usage, "no folder is named for what is kept",
                {"data", "name one with `data=FOLDER`"});
  if (!options.listen.is_loopback() && options.token_file.empty())
    throw Error(ErrorKind::usage, "others than this machine would reach the service",
                {"listen", "name who may with `token_file=FILE`"});
  for (const std::string& folder : options.allowed_paths)
    if (!std::filesystem::is_directory(folder))
      throw Error(ErrorKind::usage, "'" + folder + "' is no folder", {"allow_path", {}});
}

}  // namespace skde::service
