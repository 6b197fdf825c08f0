// Binary glTF with KHR_gaussian_splatting, as its text describes it, and hostile files.

#include <fmt/format.h>

#include <cmath>

#include "io/points/splats/splat_format_files.hpp"
#include "io/points/splats/splat_formats.hpp"
#include "splat_comparison.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

namespace skde::test {
namespace {

std::string little(std::uint32_t number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

/// Two splats with one band of harmonics. Scales and opacities share a view with a stride.
struct Scene {
  std::vector<float> places{1, 2, 3, -4, 5, 0.5F}, turns{0, 0, 0, 1, 0.6F, 0, 0, 0.8F},
      mixed{1, 2, 4, 0.5F, 0.25F, 1, 8, 0.75F}, colours{0.1F, 0.2F, 0.3F, -1, 0, 1}, harmonics;
  std::string nodes = R"([{"mesh":0}])", own = R"("kernel":"ellipse","colorSpace":"lin")";
  int type = 5126;

  Scene() {
    for (int i = 0; i < 18; ++i) harmonics.push_back(static_cast<float>(i) / 8);
  }

  std::string bytes() const {
    std::string binary, views, accessors, attributes;
    const auto add_view = [&](const std::vector<float>& values, int stride) {
      views += fmt::format(R"({}{{"buffer":0,"byteOffset":{},"byteLength":{}{}}})",
                           views.empty() ? "" : ",", binary.size(), 4 * values.size(),
                           stride > 0 ? fmt::format(R"(,"byteStride":{})", stride) : "");
      binary.append(reinterpret_cast<const char*>(values.data()), 4 * values.size());
    };
    int count = 0;
    const auto add = [&](const std::string& name, int view, const char* shape, int offset = 0) {
      accessors += fmt::format(
          R"({}{{"bufferView":{},"byteOffset":{},"componentType":{},"count":2,"type":"{}"}})",
          count > 0 ? "," : "", view, offset, type, shape);
      attributes += fmt::format(R"({}"{}{}":{})", count > 0 ? "," : "",
                                name == "POSITION" ? "" : "KHR_gaussian_splatting:", name, count);
      ++count;
    };
    add_view(places, 0);
    add_view(turns, 0);
    add_view(mixed, 16);
    add_view(colours, 0);
    add_view(harmonics, 36);
    add("POSITION", 0, "VEC3");
    add("ROTATION", 1, "VEC4");
    add("SCALE", 2, "VEC3");
    add("OPACITY", 2, "SCALAR", 12);
    add("SH_DEGREE_0_COEF_0", 3, "VEC3");
    for (int k = 0; k < 3; ++k) add(fmt::format("SH_DEGREE_1_COEF_{}", k), 4, "VEC3", 12 * k);
    std::string json = fmt::format(
        R"({{"asset":{{"version":"2.0"}},"nodes":{},"meshes":[{{"primitives":[{{"mode":0,"attributes":)"
        R"({{{}}},"extensions":{{"KHR_gaussian_splatting":{{{}}}}}}}]}}],"buffers":[{{"byteLength":{}}}],)"
        R"("bufferViews":[{}],"accessors":[{}]}})",
        nodes, attributes, own, binary.size(), views, accessors);
    json.resize((json.size() + 3) / 4 * 4, ' ');
    return "glTF" + little(2) +
           little(static_cast<std::uint32_t>(28 + json.size() + binary.size())) +
           little(static_cast<std::uint32_t>(json.size())) + "JSON" + json +
           little(static_cast<std::uint32_t>(binary.size())) + std::string("BIN\0", 4) + binary;
  }
};

}  // namespace

TEST_CASE("Splats of glTF are read as they are described", "[splats][gltf]") {
  const io::SplatCloud splats = splats_of(io::read_gltf_splats, Scene().bytes());
  CHECK(splats.xyz == std::vector<double>{1, 2, 3, -4, 5, 0.5});
  CHECK(splats.rotations == std::vector<float>{1, 0, 0, 0, 0.8F, 0.6F, 0, 0});  // w first
  constexpr std::array<double, 6> kScales{1, 2, 4, 0.25, 1, 8};                 // linear there
  for (std::size_t k = 0; k < 6; ++k)
    CHECK(std::exp(double{splats.log_scales[k]}) == Approx(kScales[k]));
  CHECK(splats.opacities[0] == Approx(0).margin(1e-7));  // a share there, a logit here
  CHECK(1 / (1 + std::exp(-double{splats.opacities[1]})) == Approx(0.75));
  CHECK(splats.colours == std::vector<float>{0.1F, 0.2F, 0.3F, -1, 0, 1});
  REQUIRE(splats.bands == 1);
  for (std::size_t i = 0; i < 2; ++i)  // red first here, a triple for each coefficient there
    for (std::size_t colour = 0; colour < 3; ++colour)
      for (std::size_t k = 0; k < 3; ++k)
        CHECK(splats.harmonics[9 * i + 3 * colour + k] ==
              static_cast<float>(9 * i + 3 * k + colour) / 8);
  CHECK(io::read_splats(io::BufferedSource(io::memory_source("a", Scene().bytes()))).size() == 2);
}

TEST_CASE("What skde cannot read of glTF is refused", "[splats][gltf]") {
  const auto says = [](const Scene& scene, const char* part) {
    CHECK_THAT(refusal(io::read_gltf_splats, scene.bytes()), ContainsSubstring(part));
  };
  Scene moved, packed, bytes;
  moved.nodes = R"([{"mesh":0,"translation":[1,0,0]}])";
  says(moved, "moves what it holds by a translation");
  packed.own = R"("kernel":"ellipse","extensions":{"KHR_gaussian_splatting_compression_spz_2":{}})";
  says(packed, "compressed");
  bytes.type = 5121;
  says(bytes, "not plain floats");
  std::string mesh = Scene().bytes();
  mesh.replace(mesh.find("KHR_gaussian_splatting\":{"), 22, "KHR_materials_variants");
  CHECK_THAT(refusal(io::read_gltf_splats, mesh), ContainsSubstring("without splats"));
  std::string lying = Scene().bytes();
  lying.replace(lying.find("\"count\":2"), 9, "\"count\":3");
  CHECK_THAT(refusal(io::read_gltf_splats, lying), ContainsSubstring("differ in bands, or"));
  std::string beyond = Scene().bytes();
  const std::string view = R"("byteOffset":0,"byteLength":24)";
  beyond.replace(beyond.find(view), view.size(), R"("byteOffset":9e9,"byteLength":2)");
  CHECK_FALSE(refusal(io::read_gltf_splats, beyond).empty());
  check_truncated(io::read_gltf_splats, Scene().bytes());
}

}  // namespace skde::test
