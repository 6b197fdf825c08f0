#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "core/report/error.hpp"
#include "io/points/splats/splat_cloud.hpp"
#include "io/points/splats/splat_format_files.hpp"
#include "io/text/json_object.hpp"

namespace skde::io {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kSplatExtension = "KHR_gaussian_splatting";
constexpr const char* kUnpack = "convert it with 'splat-transform IN OUT.ply'";

/// The chunks of a binary glTF file: a description, and bytes.
struct Gltf {
  std::string file;
  Json json;
  std::string_view bytes;

  [[noreturn]] void refuse(const std::string& what, std::string mend = "") const {
    throw Error(ErrorKind::input, fmt::format("{}: {}", file, what), {{}, std::move(mend)});
  }
  std::string_view chunk(std::string_view all, std::size_t at, std::string_view kind) const {
    std::uint32_t size = 0;
    if (all.size() >= at + 8) std::memcpy(&size, all.data() + at, sizeof size);
    if (all.size() < at + 8 || all.substr(at + 4, 4) != kind || size > all.size() - at - 8)
      refuse("its chunks are not where glTF 2 has them; it is truncated or broken");
    return all.substr(at + 8, size);
  }
};

/// Floats of an attribute.
struct FloatAttribute {
  const char* first = nullptr;
  std::size_t stride = 0, count = 0;
  float at(std::size_t row, std::size_t column) const {
    float value = 0;
    std::memcpy(&value, first + row * stride + column * sizeof value, sizeof value);
    return value;
  }
};

/// Throws if these are not `width` floats for each of the splats, within the bytes.
FloatAttribute attribute_of(const Gltf& gltf, std::size_t index, std::size_t width) {
  constexpr int kFloat = 5126;
  const Json &accessor = gltf.json.at("accessors").at(index),
             &view = gltf.json.at("bufferViews").at(accessor.at("bufferView").get<std::size_t>());
  if (accessor.at("componentType") != kFloat || accessor.contains("sparse") ||
      accessor.at("type") != (width == 1   ? "SCALAR"
                              : width == 3 ? "VEC3"
                                           : "VEC4"))
    gltf.refuse(fmt::format("its accessor {} is not plain floats", index), kUnpack);
  if (view.at("buffer") != 0 || gltf.json.at("buffers").at(0).contains("uri"))
    gltf.refuse("its numbers are in another file", "pack it into one .glb");
  const std::size_t most = gltf.bytes.size(), row = width * sizeof(float);
  const auto number = [&](const Json& of, const char* key, std::size_t otherwise) {
    return std::min(of.value(key, otherwise), most + 1);  // no sum of these overflows
  };
  const std::size_t offset = number(view, "byteOffset", 0) + number(accessor, "byteOffset", 0);
  const FloatAttribute found{gltf.bytes.data() + offset, number(view, "byteStride", row),
                             accessor.at("count").get<std::size_t>()};
  if (found.count == 0 || found.count > most || found.stride < row || offset > most ||
      (found.count - 1) * found.stride + row > most - offset)
    gltf.refuse(fmt::format("its accessor {} is not within its bytes; it is broken", index));
  return found;
}

/// Appends the splats of a primitive.
void append(const Gltf& gltf, const Json& primitive, std::int64_t most_bytes, SplatCloud& splats) {
  const Json& own = primitive.at("extensions").at(kSplatExtension);
  if (own.contains("extensions") || own.value("kernel", "ellipse") != "ellipse")
    gltf.refuse("its splats are compressed, or no ellipsoids", kUnpack);
  const Json& attributes = primitive.at("attributes");
  const auto key = [](const std::string& name) {
    return fmt::format("{}:{}", kSplatExtension, name);
  };
  const auto named = [&](const std::string& name, std::size_t width) {
    return attribute_of(gltf, attributes.at(name).get<std::size_t>(), width);
  };
  const FloatAttribute places = named("POSITION", 3), turns = named(key("ROTATION"), 4),
                       scales = named(key("SCALE"), 3), opacities = named(key("OPACITY"), 1);
  std::vector<FloatAttribute> harmonics{named(key("SH_DEGREE_0_COEF_0"), 3)};
  int bands = 0;
  while (attributes.contains(key(fmt::format("SH_DEGREE_{}_COEF_0", bands + 1)))) {
    ++bands;
    for (int k = 0; k <= 2 * bands; ++k)
      harmonics.push_back(named(key(fmt::format("SH_DEGREE_{}_COEF_{}", bands, k)), 3));
  }
  std::vector<FloatAttribute> all{turns, scales, opacities};
  all.insert(all.end(), harmonics.begin(), harmonics.end());
  if (bands > 4 || (splats.size() > 0 && splats.bands != bands) ||
      std::ranges::any_of(all, [&](const auto& one) { return one.count != places.count; }))
    gltf.refuse("its primitives differ in bands, or its attributes in length");
  splats.bands = bands;
  require_kept_bytes(gltf.file, splats.size() + places.count, bands, most_bytes);
  for (std::size_t i = 0; i < places.count; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      splats.xyz.push_back(static_cast<double>(places.at(i, k)));
      splats.log_scales.push_back(std::log(scales.at(i, k)));
      splats.colours.push_back(harmonics[0].at(i, k));
      for (std::size_t h = 1; h < harmonics.size(); ++h)
        splats.harmonics.push_back(harmonics[h].at(i, k));
    }
    for (const std::size_t k : {3, 0, 1, 2}) splats.rotations.push_back(turns.at(i, k));
    splats.opacities.push_back(opacity_of_share(static_cast<double>(opacities.at(i, 0))));
  }
}

void append_all(const Gltf& gltf, std::int64_t most_bytes, SplatCloud& splats) {
  for (const Json& mesh : gltf.json.value("meshes", Json::array()))
    for (const Json& primitive : mesh.at("primitives"))
      if (primitive.contains("extensions") && primitive.at("extensions").contains(kSplatExtension))
        append(gltf, primitive, most_bytes, splats);
  if (splats.size() == 0)
    gltf.refuse(fmt::format("is a scene (glTF) without splats ({})", kSplatExtension),
                "sample points on it with CloudCompare or MeshLab, and save them as PLY");
  for (const Json& node : gltf.json.value("nodes", Json::array()))
    for (const char* const how : {"matrix", "translation", "rotation", "scale"})
      if (node.contains(how))
        gltf.refuse(fmt::format("a node moves what it holds by a {}", how), kUnpack);
}

}  // namespace

SplatCloud read_gltf_splats(BufferedSource source, std::int64_t most_bytes) {
  constexpr std::size_t kHeader = 12, kChunkHeader = 8;
  Gltf gltf{source.name(), {}, {}};
  const std::string all =
      read_whole(source, Error(ErrorKind::input, gltf.file + ": is larger than 1 GiB"));
  const std::string_view json = gltf.chunk(all, kHeader, "JSON");
  gltf.json = parse_json(json, gltf.file);
  gltf.bytes = gltf.chunk(all, kHeader + kChunkHeader + json.size(), {"BIN\0", 4});
  SplatCloud splats;
  try {
    append_all(gltf, most_bytes, splats);
  } catch (const Json::exception& problem) {
    gltf.refuse(fmt::format("its JSON is not that of splats: {}", problem.what()));
  }
  return splats;
}

}  // namespace skde::io
