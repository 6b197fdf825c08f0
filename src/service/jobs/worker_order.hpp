#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace skde::service {

/// Names in the folder of a run whose result is sent while it is written: the pipe, and the file
/// with what a slow client has left.
constexpr const char *kStreamPipe = "stream", *kStreamRest = "rest";

/// What a worker is to do: a run, or its prediction. Files have the names that clients know.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct WorkerOrder {
  using Texts = std::map<std::string, std::string>;

  std::uint64_t run = 0;               ///< its number
  std::string process;                 ///< its ID
  std::vector<std::string> arguments;  ///< of the command
  std::string inputs;                  ///< JSON that is echoed
  nlohmann::ordered_json request;      ///< what determines the result
  nlohmann::ordered_json files;        ///< outputs: {"volume": {"file", "type"}}
  Texts links, hashes, stamps;         ///< of inputs by name: paths, contents, and stamps
  std::string owner, folder;           ///< `folder`: where it runs
  std::string streams;                 ///< the first file goes to its client: "plain" or "zstd"
  bool unkept = false;                 ///< nobody keeps the result
  bool report = false;                 ///< the summary is wanted as text
  bool unplanned = false;              ///< nobody has predicted it
  bool predicts = false;               ///< it is to be predicted only
};

/// The fields of an order by their names in JSON.
template <class Order, class Visit>
void visit_fields(Order& order, const Visit& visit) {
  visit("run", order.run);
  visit("process", order.process);
  visit("arguments", order.arguments);
  visit("inputs", order.inputs);
  visit("request", order.request);
  visit("files", order.files);
  visit("links", order.links);
  visit("hashes", order.hashes);
  visit("stamps", order.stamps);
  visit("owner", order.owner);
  visit("folder", order.folder);
  visit("streams", order.streams);
  visit("unkept", order.unkept);
  visit("report", order.report);
  visit("unplanned", order.unplanned);
  visit("predicts", order.predicts);
}

inline void to_json(nlohmann::ordered_json& json, const WorkerOrder& order) {
  visit_fields(order, [&](const char* name, const auto& value) { json[name] = value; });
}
inline void from_json(const nlohmann::ordered_json& json, WorkerOrder& order) {
  visit_fields(order, [&](const char* name, auto& value) { json.at(name).get_to(value); });
}

}  // namespace skde::service
