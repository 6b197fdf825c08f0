#include "service/http/traffic.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>

#include "core/report/error.hpp"
#include "io/text/json_object.hpp"
#include "service/store/data_folder.hpp"

namespace skde::service {

void AccessLog::open(const std::string& path) {
  std::FILE* const file = path.empty() ? nullptr : std::fopen(path.c_str(), "ae");
  if (!file && !path.empty())
    throw Error(ErrorKind::output,
                fmt::format("{}: cannot be written: {}", path, std::strerror(errno)),
                {"access_log", "name a file that the service may write"});
  file_.reset(file);
}

void AccessLog::write(const AccessEntry& entry) {
  using Json = nlohmann::ordered_json;
  if (!file_) return;
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  const std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - entry.began;
  try {
    const std::string line = io::json_line({{"time", time_text(now_milliseconds())},
                                            {"owner", or_null(entry.owner)},
                                            {"method", or_null(entry.method)},
                                            {"path", or_null(entry.path)},
                                            {"status", entry.status ? Json(entry.status) : Json()},
                                            {"bytes", entry.bytes},
                                            {"ms", took.count()},
                                            {"job", or_null(entry.job)}}) +
                             '\n';
    if (std::fwrite(line.data(), 1, line.size(), file_.get()) < line.size() ||
        std::fflush(file_.get()) != 0)
      ++lost_;
  } catch (const std::bad_alloc&) {
    ++lost_;
  }
}

}  // namespace skde::service
