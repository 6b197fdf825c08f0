#include "service/jobs/run_plan.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/version.hpp"
#include "io/module/installed_file.hpp"
#include "io/text/json_object.hpp"
#include "service/answer/http_message.hpp"
#include "service/store/access_tokens.hpp"
#include "service/store/content_hash.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

/// Identifies the version and the build of the program and of its modules. Results of another build
/// are not reused.
const std::string& build_name() {
  static const std::string name = [] {
    std::string text = kVersion;
    std::vector<std::string> files = io::format_module_files();
    files.emplace_back("/proc/self/exe");
    for (const std::string& file : files) {
      struct stat about {};
      stat(file.c_str(), &about);
      text += fmt::format(" {} {}.{}", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
    }
    return text;
  }();
  return name;
}

/// Builds the plan of a request, part by part.
class Planner {
 public:
  Planner(const ExecutionRequest& request, const std::string& owner, CloudShelf& clouds,
          const std::function<NamedVolume(const std::string&)>& volume_of)
      : request_(request),
        process_(*request.process),
        owner_(owner),
        clouds_(clouds),
        volume_of_(volume_of) {}

  RunPlan make() {
    identity_ = {{"build", build_name()}, {"process", process_.id}};
    taken_ = {"result.json/", fmt::format("{}/", kStreamPipe), fmt::format("{}/", kStreamRest)};
    take_files();  // whose names no input takes
    for (const cli::ResourceInput& resource : process_.resources)
      if (const auto id = request_.resources.find(resource.name); id != request_.resources.end())
        take_resource(resource, id->second);
    // Results are shared between tokens if every token may read all inputs.
    if (private_ || request_.resources.empty()) identity_["owner"] = owner_;
    take_flags();
    const bool echoes = process_.kind == ProcessKind::echo;
    if (echoes) identity_["inputs"] = content_name(request_.inputs);
    const bool reports = request_.wants(kReport);
    if (reports) identity_["report"] = true;
    order_.process = process_.id;
    order_.request = identity_;
    if (echoes) order_.inputs = request_.inputs;
    order_.report = reports;
    if (request_.unkept) take_client();
    return {identity_, std::move(order_), content_name(io::exact_json_line(identity_)),
            std::move(opened_)};
  }

 private:
  /// Adds an argument of the command, or the value of a flag.
  void give(const std::string& flag, const std::string& name) {
    order_.arguments.push_back(flag.empty() ? name : fmt::format("--{}={}", flag, name));
  }

  /// Returns the name by which the worker reads the file at this path, in the folder of the run:
  /// its own name, in a numbered folder if another file has it. Files `beside` lie in its folder.
  std::string link(const std::string& path, const std::string& own,
                   const std::vector<std::string>& beside) {
    std::vector<std::string> names = beside;
    names.push_back(own);
    std::string folder;
    const auto taken = [&](const std::string& one) { return taken_.contains(folder + one + '/'); };
    for (int number = 2; taken_.contains(folder) || std::ranges::any_of(names, taken); ++number)
      folder = fmt::format("{}/", number);
    if (!folder.empty()) taken_.insert(folder);
    for (const std::string& one : names) taken_.insert(folder + one + '/');
    const std::string place = clouds_.folder().inside(path);
    for (const std::string& one : beside)
      order_.links[folder + one] = place.substr(0, place.rfind('/') + 1) + one;
    // Commands take no name for a flag or for standard input.
    const std::string name = (folder.empty() && own.starts_with('-') ? "./" : folder) + own;
    order_.links[name] = place;
    return name;
  }

  /// Returns its name for the worker, and in `identity` what identifies its bytes.
  std::string link(const Cloud& cloud, Json& identity) {
    identity = {{"hash", cloud.hash}, {"suffix", cloud.suffix}, {"name", cloud.name}};
    private_ = private_ || cloud.owned;
    if (!cloud.owned) opened_.push_back(clouds_.open(cloud));
    const std::string name = cloud.owned
                                 ? link(cloud.path, cloud.name, {})
                                 : link(opened_.back()->path(), cloud.name, names_in(cloud.stamps));
    order_.hashes[name] = cloud.hash;
    if (!cloud.owned) order_.stamps[name] = cloud.stamps;
    return name;
  }

  /// A cloud of another owner is reported as not found.
  const Cloud& own(const Cloud& cloud) const {
    if (cloud.owner != owner_) throw not_found("cloud", cloud.id);
    return cloud;
  }

  void take_resource(const cli::ResourceInput& resource, const std::string& ids) {
    if (resource.kind == cli::ResourceKind::volume) return take_volume(resource, ids);
    Json& identity = identity_["clouds"][resource.name];
    for (std::size_t begin = 0, end = 0; end != ids.npos; begin = end + 1) {
      end = resource.several ? ids.find(',', begin) : ids.npos;
      const std::string text = ids.substr(begin, end - begin), id = text.substr(0, text.find(':'));
      // No name of a cloud has a colon, so that the name of a part leads to no other file.
      const std::string part = text.substr(id.size());
      const Cloud& cloud = own(clouds_.at(id));
      const std::string name = link(cloud, identity.emplace_back()) + part;
      if (!part.empty()) identity.back()["part"] = part;
      order_.hashes[name] = cloud.hash;
      give(resource.flag, name);
    }
  }

  /// Adds "ID" or "ID:FIELD", of a job or of an uploaded file.
  void take_volume(const cli::ResourceInput& resource, const std::string& text) {
    const std::string id = text.substr(0, text.find(':'));
    const std::string field = text.substr(id.size());
    if (field.find('/') != field.npos)
      throw Problem(400, "usage", "the name of a volume in a file must not contain '/'",
                    {resource.name, {}});
    Json& identity = identity_["volumes"][resource.name];
    if (const Cloud* const file = clouds_.find(id)) {
      give(resource.flag, link(own(*file), identity) + field);
    } else {
      const NamedVolume volume = volume_of_(id);
      identity = {{"key", volume.key}};
      private_ = true;
      // The name has no job ID, as another job with the same result gets this answer from the
      // cache.
      give(resource.flag, link(volume.path, volume.file, volume.beside) + field);
    }
    identity["field"] = field;
  }

  void take_files() {
    order_.files = Json::object();
    if (process_.files.empty()) return;
    const std::string stem = process_.files.front().name;
    std::map<std::string, std::string> given;  // names by flags, as outputs may share one
    if (!request_.format.empty()) take_first_file(process_.files.front());
    for (const cli::FileOutput& file : process_.files) {
      if (file.suffix.empty() || (file.optional && !request_.wants(file.name))) continue;
      const std::string name = (file.flag.empty() ? stem : file.name) + file.suffix;
      take_file(file.name, name, file.media_type);
      if (file.flag.empty()) continue;
      identity_["optional"].push_back(file.name);
      std::string& names = given[file.flag];
      names += (names.empty() ? "" : ",") + name;
    }
    for (const auto& [flag, names] : given) give(flag, names);
  }

  void take_file(const std::string& output, const std::string& name, const std::string& type) {
    order_.files[output] = {{"file", name}, {"type", type}};
    taken_.insert(name + '/');
  }

  void take_first_file(const cli::FileOutput& first) {
    identity_["format"] = request_.format;
    for (const cli::ResultFormat& format : process_.formats) {
      if (format.name != request_.format) continue;
      const std::string name = first.name + format.extension;
      take_file(first.name, name, format.media_type);
      give(first.flag, name);
      const auto same =
          std::ranges::find(process_.formats, format.extension, &cli::ResultFormat::extension);
      if (same->name != format.name) give("format", format.name);  // the name does not tell
    }
  }

  /// A result for one client is shared with none, and sent as it comes if it is one file.
  void take_client() {
    identity_["client"] = random_name();
    order_.unkept = true;
    const auto& outputs = request_.outputs;
    if (request_.response == ResponseForm::raw && outputs.size() == 1 && !process_.files.empty() &&
        outputs[0].name == process_.files.front().name)
      order_.streams = request_.packs ? "zstd" : "plain";
  }

  void take_flags() {
    if (process_.kind == ProcessKind::points) {
      const auto limit = request_.flags.find("limit");
      order_.arguments.push_back(limit == request_.flags.end() ? "100000" : limit->second);
    }
    for (const auto& [name, value] : request_.flags) {
      identity_["flags"][name] = value;
      if (name == "limit") continue;
      order_.arguments.push_back(name == process_.argument ? value
                                 : value.empty()           ? "--" + name
                                                           : fmt::format("--{}={}", name, value));
    }
  }

  const ExecutionRequest& request_;
  const Process& process_;
  const std::string& owner_;
  CloudShelf& clouds_;
  const std::function<NamedVolume(const std::string&)>& volume_of_;
  Json identity_;
  WorkerOrder order_;
  std::set<std::string> taken_;  ///< names in the folder of the run, each with a '/' behind it
  std::vector<ServerFilePtr> opened_;
  bool private_ = false;
};

}  // namespace

RunPlan plan_run(const ExecutionRequest& request, const std::string& owner, CloudShelf& clouds,
                 const std::function<NamedVolume(const std::string&)>& volume_of) {
  return Planner(request, owner, clouds, volume_of).make();
}

}  // namespace skde::service
