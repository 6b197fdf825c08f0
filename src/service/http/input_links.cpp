#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "service/answer/http_message.hpp"
#include "service/http/service_routes.hpp"
#include "service/store/cloud_shelf.hpp"
#include "service/store/content_hash.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

/// A cloud whose data are embedded in a request.
struct LinkedData {
  std::string id, name, suffix, bytes;
};

[[noreturn]] void refuse_link(const std::string& input, const std::string& problem) {
  throw Problem(400, "usage", problem,
                {input,
                 "link to /clouds/ID, to /jobs/ID if a volume is expected, or to 'data:...'; "
                 "upload other files to /clouds"});
}

/// Returns the file extension of a media type: one of the formats that processes write.
std::string suffix_of_type(const std::string& type, const std::string& input) {
  if (type == "text/plain") return ".txt";
  if (type == "application/octet-stream") return "";  // recognised by its first bytes
  for (const Process& process : process_table())
    for (const cli::ResultFormat& format : process.formats)
      if (format.media_type == type) return known_suffix("data" + format.extension);
  refuse_link(input, fmt::format("'{}' is not a type of a cloud or a volume", type.substr(0, 64)));
}

/// Reads "data:[TYPE][;PARAMETER]...[;base64],DATA". `otherwise` is the default type.
LinkedData read_data(std::string_view text, std::string otherwise, const std::string& input) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos) refuse_link(input, fmt::format("the data of '{}' lack a comma", input));
  std::string head = lower_case(text.substr(0, comma));
  const bool is_base64 = head.ends_with(";base64");
  std::string type = head.substr(0, head.find(';'));
  if (type.empty()) type = otherwise.empty() ? "text/plain" : lower_case(otherwise);
  LinkedData data;
  data.suffix = suffix_of_type(type, input);
  auto bytes = decoded_escapes(text.substr(comma + 1), false);
  if (!bytes)
    refuse_link(input, fmt::format("the data of '{}' have an invalid escape sequence", input));
  if (is_base64) bytes = decoded_base64(*bytes);
  if (!bytes) refuse_link(input, fmt::format("the data of '{}' are not valid base64", input));
  data.bytes = std::move(*bytes);
  if (data.bytes.empty()) refuse_link(input, fmt::format("the data of '{}' are empty", input));
  data.id = random_name();
  data.name = input + data.suffix;
  return data;
}

/// Resolves the links of a request.
class LinkReader {
 public:
  LinkReader(ServiceState& state, const Request& request) : state_(state), request_(request) {}

  /// Replaces links by IDs.
  void read(const Process& process, Json& inputs) {
    for (const cli::ResourceInput& resource : process.resources) {
      const auto found = inputs.find(resource.name);
      if (found == inputs.end()) continue;
      if (found->is_array() && resource.several)
        for (Json& entry : *found) read_one(resource, entry);
      else
        read_one(resource, *found);
    }
  }
  std::vector<LinkedData> take_data() { return std::move(data_); }

 private:
  void read_one(const cli::ResourceInput& resource, Json& value) {
    const auto href = value.is_object() ? value.find("href") : value.end();
    if (!value.is_object() || href == value.end()) return;
    if (!href->is_string())
      refuse_link(resource.name, fmt::format("the 'href' of '{}' must be a string", resource.name));
    const std::string link = href->get<std::string>();
    constexpr std::string_view kData = "data:";
    if (lower_case(link.substr(0, kData.size())) == kData) {
      const auto type = value.find("type");
      const std::string given =
          type != value.end() && type->is_string() ? type->get<std::string>() : "";
      data_.push_back(read_data(std::string_view(link).substr(kData.size()), given, resource.name));
      value = data_.back().id;
      if (const std::string same = same_cloud(data_.back()); !same.empty()) {
        value = same;
        data_.pop_back();
      }
    } else {
      value = id_at(resource, link);
    }
  }

  /// Returns the ID of a cloud of the owner with these data, as an earlier request may have sent
  /// them; empty if there is none.
  std::string same_cloud(const LinkedData& data) const {
    const std::string hash = content_name(data.bytes);
    for (const auto& [id, cloud] : state_.clouds.all())
      if (cloud.owner == request_.owner && cloud.hash == hash && cloud.name == data.name &&
          cloud.suffix == data.suffix)
        return id;
    return "";
  }

  /// Returns the path of a URL of this service, as the client addresses it.
  std::string path_of_link(const std::string& link, const std::string& input) const {
    std::string_view path = link;
    const std::string begin = lower_case(path.substr(0, 8));
    if (begin.starts_with("http://") || begin == "https://") {
      path.remove_prefix(begin.starts_with("http://") ? 7 : 8);
      const std::size_t slash = std::min(path.find('/'), path.size());
      if (lower_case(path.substr(0, slash)) != lower_case(request_.header("host")))
        refuse_link(input, "this service opens only its own addresses");
      path.remove_prefix(slash);
    }
    if (!path.starts_with('/') || path.starts_with("//"))
      refuse_link(input, "this service opens only its own addresses");
    return std::string(path);
  }

  std::string id_at(const cli::ResourceInput& resource, const std::string& link) const {
    Request named;
    read_target(path_of_link(link, resource.name), named);
    const std::string_view kind = named.segment(0), part = named.segment(2);
    const std::size_t parts = named.path.size();
    const std::string id(named.segment(1));
    const bool plain = named.target.find_first_of("?#") == named.target.npos;
    if (plain && kind == "clouds" && (parts == 2 || (parts == 3 && part == "content"))) {
      const Cloud& cloud = state_.clouds.at(id);
      if (cloud.owner != request_.owner) throw not_found("cloud", id);
      return id;
    }
    const bool is_result = parts == 4 && part == "results" && named.segment(3) == "volume";
    if (plain && kind == "jobs" && resource.kind == cli::ResourceKind::volume &&
        (parts == 2 || is_result)) {
      if (state_.jobs.table().at(id)->owner != request_.owner) throw not_found("job", id);
      return id;
    }
    refuse_link(resource.name, fmt::format("'{}' does not refer to a value that '{}' can have",
                                           link.substr(0, 64), resource.name));
  }

  ServiceState& state_;
  const Request& request_;
  std::vector<LinkedData> data_;
};

/// Makes clouds from the data of a request, one after the other, and then runs it.
class DataShelving : public std::enable_shared_from_this<DataShelving> {
 public:
  DataShelving(ServiceState& state, const Request& request, Respond respond,
               std::vector<LinkedData> data, ExecutionRequest execution, Linked then)
      : state_(state),
        owner_(request.owner),
        respond_(std::move(respond)),
        data_(std::move(data)),
        execution_(std::move(execution)),
        then_(std::move(then)),
        gone_(request.gone) {}

  void start() {
    // This handler stays until `then` sets another. If the client disconnects before, nothing is
    // run.
    if (gone_)
      *gone_ = [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->has_gone_ = true;
      };
    shelve_next();
  }

 private:
  void shelve_next() {
    if (next_ == data_.size()) return run();
    LinkedData& data = data_[next_];
    auto claim = state_.clouds.claim(
        owner_, [&state = state_, owner = owner_] { return bytes_left(state, owner); });
    CloudUpload upload(state_.clouds.folder().arriving(data.id), 0, state_.limits.cloud_bytes,
                       claim);
    upload.write(data.bytes.data(), data.bytes.size());
    upload.keep();
    Cloud cloud;
    cloud.id = data.id;
    cloud.name = shown_name(data.name);
    cloud.suffix = data.suffix;
    cloud.bytes = upload.size();
    cloud.owner = owner_;
    data.bytes = {};
    state_.clouds.add(upload.path(), std::move(cloud),
                      [self = shared_from_this(), claim, path = upload.path()](
                          const std::exception_ptr& failure, const Cloud&) {
                        std::error_code ignored;
                        if (failure) std::filesystem::remove(path, ignored);
                        self->on_shelved(failure);
                      });
  }

  void on_shelved(std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
      ++next_;
      return shelve_next();
    } catch (...) {
      failure = std::current_exception();
    }
    give_up(failure);
  }

  void run() {
    if (has_gone_) throw Problem(410, "cancelled", "stopped");
    then_(std::move(execution_), [self = shared_from_this()](Response response) {
      if (response.status >= 400) self->remove_clouds();
      self->respond_(std::move(response));
    });
  }

  /// Removes the clouds made so far, as the client does not know their IDs.
  void remove_clouds() {
    for (std::size_t i = 0; i < next_; ++i)
      if (const std::string& id = data_[i].id;
          state_.clouds.all().contains(id) && !state_.jobs.needs_cloud(id))
        state_.clouds.remove(id, {});
  }

  void give_up(const std::exception_ptr& failure) {
    remove_clouds();
    respond_(Problem::of(failure).response());
  }

  ServiceState& state_;
  std::string owner_;
  Respond respond_;
  std::vector<LinkedData> data_;
  ExecutionRequest execution_;
  Linked then_;
  std::shared_ptr<std::function<void()>> gone_;
  std::size_t next_ = 0;
  bool has_gone_ = false;
};

}  // namespace

void read_linked_execution(ServiceState& state, const Process& process, const Request& request,
                           const Respond& respond, Linked then) {
  Json json = parse_json(request.body);
  LinkReader links(state, request);
  if (json.is_object())
    if (const auto inputs = json.find("inputs"); inputs != json.end() && inputs->is_object())
      links.read(process, *inputs);
  ExecutionRequest execution = read_execution(process, json);
  std::vector<LinkedData> data = links.take_data();
  if (data.empty()) return then(std::move(execution), respond);
  std::make_shared<DataShelving>(state, request, respond, std::move(data), std::move(execution),
                                 std::move(then))
      ->start();
}

}  // namespace skde::service
