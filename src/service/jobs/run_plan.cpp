#include "service/jobs/run_plan.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include "core/version.hpp"
#include "io/json_object.hpp"
#include "io/module/installed_file.hpp"
#include "service/http/http_problem.hpp"
#include "service/store/content_hash.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

/// The version, and which build of the program and of its module: results of another one are not
/// taken for this one's.
const std::string& build_name() {
  static const std::string name = [] {
    std::string text = kVersion;
    for (const std::string& file :
         {std::string("/proc/self/exe"), io::installed_file(io::kFormatModuleFile)}) {
      struct stat about {};
      stat(file.c_str(), &about);
      text += fmt::format(" {} {}.{}", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
    }
    return text;
  }();
  return name;
}

/// What a request's plan is made of, part by part.
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
    names_ = hashes_ = stamps_ = Json::object();
    for (const cli::ResourceInput& resource : process_.resources)
      if (const auto id = request_.resources.find(resource.name); id != request_.resources.end())
        take_resource(resource, id->second);
    // What one has computed serves others where every token may read all that is named.
    if (private_ || request_.resources.empty()) identity_["owner"] = owner_;
    name_folders();
    take_files();
    take_flags();
    const bool echoes = process_.kind == ProcessKind::echo;
    if (echoes) identity_["inputs"] = content_name(request_.inputs);
    const bool reports = request_.wants(kReport);
    if (reports) identity_["report"] = true;
    Json order{{"process", process_.id}, {"arguments", arguments_}, {"command_line", line_},
               {"request", identity_},   {"files", files_},         {"names", names_},
               {"hashes", hashes_},      {"stamps", stamps_}};
    if (echoes) order["inputs"] = request_.inputs;
    order["report"] = reports;
    order["apart"] = clouds_.folder().inside(clouds_.folder().clouds());
    return {identity_, std::move(order), content_name(io::exact_json_line(identity_)),
            std::move(opened_)};
  }

 private:
  /// An argument of the command, or the value of a flag, and how users may see it. `field` is what
  /// is meant of the file.
  void give(const cli::ResourceInput& resource, const std::string& file, const std::string& name,
            const std::string& field = {}) {
    const std::string path = clouds_.folder().inside(file);
    names_[path] = name;
    if (resource.flag.empty()) {
      arguments_.push_back(path + field);
      line_ += ' ' + name + field;
    } else {
      arguments_.push_back(fmt::format("--{}={}{}", resource.flag, path, field));
      line_ += fmt::format(" --{} {}{}", resource.flag, name, field);
    }
  }

  /// A reader may tell of a file beside the one that is named.
  void name_folders() {
    std::vector<std::string> folders;
    for (const auto& [path, name] : names_.items())
      folders.push_back(path.substr(0, path.rfind('/') + 1));
    for (const std::string& folder : folders)
      if (folder != "/") names_[folder] = "";
  }

  /// Where the worker reads it.
  std::string path_of(const Cloud& cloud) {
    if (cloud.owned) return cloud.path;
    opened_.push_back(clouds_.open(cloud));
    return opened_.back()->path();
  }

  /// What tells which bytes are meant, to this service and to the worker that reads them.
  Json identity_of(const Cloud& cloud, const std::string& path) {
    private_ = private_ || cloud.owned;
    hashes_[path] = cloud.hash;
    if (!cloud.owned) stamps_[path] = cloud.stamps;
    return {{"hash", cloud.hash}, {"suffix", cloud.suffix}, {"name", cloud.name}};
  }

  /// The value of a flag that names what is written, in the folder that order_in() is told.
  static Json written_file(const std::string& flag, const std::string& name) {
    return {{"before", flag.empty() ? "" : fmt::format("--{}=", flag)}, {"file", name}};
  }

  /// What is another's is not there.
  const Cloud& own(const Cloud& cloud) const {
    if (cloud.owner != owner_) throw not_found("cloud", cloud.id);
    return cloud;
  }

  void take_resource(const cli::ResourceInput& resource, const std::string& ids) {
    if (resource.kind == cli::ResourceKind::volume) return take_volume(resource, ids);
    Json& identity = identity_["clouds"][resource.name];
    for (std::size_t begin = 0, end = 0; end != ids.npos; begin = end + 1) {
      end = resource.several ? ids.find(',', begin) : ids.npos;
      const Cloud& cloud = own(clouds_.at(ids.substr(begin, end - begin)));
      const std::string path = path_of(cloud);
      identity.push_back(identity_of(cloud, path));
      give(resource, path, cloud.name);
    }
  }

  /// "ID" or "ID:FIELD", of a job or of a file that was sent.
  void take_volume(const cli::ResourceInput& resource, const std::string& text) {
    const std::string id = text.substr(0, text.find(':'));
    const std::string field = text.substr(id.size());
    if (field.find('/') != field.npos)
      throw Problem(400, "usage", "the name of a volume in a file must not contain '/'",
                    {resource.name, {}});
    Json& identity = identity_["volumes"][resource.name];
    if (const Cloud* const file = clouds_.find(id)) {
      const std::string path = path_of(own(*file));
      identity = identity_of(*file, path);
      give(resource, path, file->name, field);
    } else {
      const NamedVolume volume = volume_of_(id);
      identity = {{"key", volume.key}};
      private_ = true;
      // Not by the job: another one of the same result has this one's answer from the cache.
      give(resource, volume.path, volume.file, field);
    }
    identity["field"] = field;
  }

  void take_files() {
    files_ = Json::object();
    if (process_.files.empty()) return;
    const std::string stem = process_.files.front().name;
    if (!request_.format.empty()) take_first_file(process_.files.front());
    for (const cli::FileOutput& file : process_.files) {
      if (file.suffix.empty() || (file.optional && !request_.wants(file.name))) continue;
      const std::string name = (file.flag.empty() ? stem : file.name) + file.suffix;
      files_[file.name] = {{"file", name}, {"type", file.media_type}};
      if (file.flag.empty()) continue;
      identity_["optional"].push_back(file.name);
      arguments_.push_back(written_file(file.flag, name));
    }
  }

  void take_first_file(const cli::FileOutput& first) {
    identity_["format"] = request_.format;
    for (const cli::ResultFormat& format : process_.formats) {
      if (format.name != request_.format) continue;
      const std::string name = first.name + format.extension;
      files_[first.name] = {{"file", name}, {"type", format.media_type}};
      arguments_.push_back(written_file(first.flag, name));
    }
  }

  void take_flags() {
    if (process_.kind == ProcessKind::points) {
      const auto limit = request_.flags.find("limit");
      arguments_.push_back(limit == request_.flags.end() ? "100000" : limit->second);
    }
    for (const auto& [name, value] : request_.flags) {
      identity_["flags"][name] = value;
      if (name == "limit") continue;
      if (name == process_.argument) {
        arguments_.push_back(value);
        line_ += ' ' + value;
        continue;
      }
      arguments_.push_back(value.empty() ? "--" + name : fmt::format("--{}={}", name, value));
      line_ += value.empty() ? " --" + name : fmt::format(" --{} {}", name, value);
    }
    if (!process_.run) return;
    for (const std::string& name : process_.switches) arguments_.push_back("--" + name);
  }

  const ExecutionRequest& request_;
  const Process& process_;
  const std::string& owner_;
  CloudShelf& clouds_;
  const std::function<NamedVolume(const std::string&)>& volume_of_;
  Json identity_, files_, names_, hashes_, stamps_, arguments_ = Json::array();
  std::vector<ServerFilePtr> opened_;
  bool private_ = false;
  std::string line_ = "skde " + process_.id;
};

}  // namespace

RunPlan plan_run(const ExecutionRequest& request, const std::string& owner, CloudShelf& clouds,
                 const std::function<NamedVolume(const std::string&)>& volume_of) {
  return Planner(request, owner, clouds, volume_of).make();
}

Json order_in(const std::string& folder, Json order) {
  order["folder"] = folder;
  for (Json& argument : order["arguments"]) {
    if (!argument.is_object()) continue;
    argument =
        argument["before"].get<std::string>() + folder + '/' + argument["file"].get<std::string>();
  }
  order["names"][folder + '/'] = "";
  return order;
}

}  // namespace skde::service
