#include "service/jobs/process_table.hpp"

#include <algorithm>
#include <vector>

#include "commands/commands.hpp"
#include "service/answer/http_problem.hpp"

namespace skde::service {
namespace {

Process echo_process() {
  Process echo;
  echo.id = "echo";
  echo.title = "returns its inputs, to test a client";
  echo.kind = ProcessKind::echo;
  echo.value = "echo";
  return echo;
}

/// The process behind GET /clouds/ID/points.
Process points_process() {
  Process points;
  points.id = "points";
  points.title = "a subset of the samples of a cloud";
  points.listed = false;
  points.kind = ProcessKind::points;
  points.resources = {{"cloud", cli::ResourceKind::cloud, true, false, "", "ID of a cloud"}};
  points.value.clear();
  points.formats = cli::formats_named({"npy"});
  points.files = {{"points", "x, y, z and weight of the samples", ""}};
  // The columns are chosen by the flags of info.
  for (const FieldText& flag : cli::input_flags(cli::kInfo))
    if (flag.name != "kernel") points.flags.push_back(flag);
  points.flags.push_back({"limit", "N", "largest number of samples"});
  return points;
}

std::vector<Process> make_processes() {
  std::vector<Process> all;
  for (const cli::ServedCommand& command : cli::served_commands()) all.push_back({command});
  all.push_back(echo_process());
  all.push_back(points_process());
  return all;
}

}  // namespace

std::span<const Process> process_table() {
  static const std::vector<Process> all = make_processes();
  return all;
}

const Process& process_named(std::string_view id) {
  for (const Process& process : process_table())
    if (process.id == id) return process;
  throw not_found("process", id);
}

}  // namespace skde::service
