#include "service/http/embedded_page.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/kernel/kernel_function.hpp"
#include "io/text/json_object.hpp"
#include "pictures/color_map.hpp"
#include "service/answer/http_problem.hpp"
#include "service/http/file_response.hpp"
#include "service/store/content_hash.hpp"

namespace skde::service {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct ContentType {
  std::string_view extension, type;
};
constexpr auto kTypes = std::to_array<ContentType>({
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".wasm", "application/wasm"},
    {".woff2", "font/woff2"},
});

/// Returns what the page takes from tables of skde: the names of the kernels, the opacities, and
/// the colour maps as evenly spaced colours. They are a module, as the page then has them before it
/// is shown.
std::string look_module() {
  constexpr int kLast = 255;
  nlohmann::ordered_json look;
  for (const KernelRow& row : kernel_table()) look["kernels"].push_back(row.name);
  for (const OpacityPreset& preset : kOpacityPresets)
    for (const auto& [position, opacity] : preset.points)
      look["opacities"][std::string(preset.name)].push_back({position, opacity});
  for (const auto& [name, map] : kColorMaps)
    for (int i = 0; i <= kLast; ++i) {
      const auto [red, green, blue] = map_rgb(map, static_cast<double>(i) / kLast);
      auto& color = look["colourMaps"][std::string(name)].emplace_back();
      for (const double part : {red, green, blue}) color.push_back(std::round(1e4 * part) / 1e4);
    }
  return "export const { kernels, opacities, colourMaps } = " + io::json_line(look);
}

/// Returns the files of the build, and what is made from tables.
const std::vector<EmbeddedFile>& page_files() {
  static const std::string look = look_module(), hash = check_sum(look);
  static const std::vector<EmbeddedFile> files = [] {
    std::vector<EmbeddedFile> all(embedded_files().begin(), embedded_files().end());
    all.push_back({"look.js", look, hash});
    return all;
  }();
  return files;
}

std::string_view type_of(std::string_view name) {
  for (const auto& [extension, type] : kTypes)
    if (name.ends_with(extension)) return type;
  return "application/octet-stream";
}

}  // namespace

Response page_response(const Request& request) {
  if (embedded_files().empty())
    throw Problem(404, "not-found", "this service was built without the page for browsers",
                  {{}, "install nodejs and npm, and configure again"});
  std::string name;
  for (std::size_t i = 1; i < request.path.size(); ++i)
    name.append(name.empty() ? "" : "/").append(request.path[i]);
  if (name.empty()) name = "index.html";
  for (const EmbeddedFile& file : page_files()) {
    if (file.name != name) continue;
    Response response;
    const std::string etag = '"' + std::string(file.hash) + '"';
    response.with("ETag", etag)
        .with("Content-Security-Policy", kPolicy)
        .with("X-Content-Type-Options", "nosniff")
        .with("Referrer-Policy", "no-referrer")
        .with("Cross-Origin-Opener-Policy", "same-origin")
        .with("Cache-Control", "no-cache");
    if (is_unchanged(request, etag)) {
      response.status = 304;
      return response;
    }
    response.fixed_body = file.bytes;
    return std::move(response.with("Content-Type", std::string(type_of(name))));
  }
  throw not_found("page", name);
}

}  // namespace skde::service
