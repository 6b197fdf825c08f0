#include "io/meshes/mesh_formats.hpp"

#include <fmt/core.h>

#include <array>
#include <filesystem>

#include "core/report/error.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr std::array<MeshFormat, 4> kMeshFormats{{
    {.extension = ".ply",
     .summary = "Stanford PLY, binary; for MeshLab, CloudCompare and Blender",
     .doubles = true,
     .write = write_ply_mesh},
    {.extension = ".obj",
     .summary = "Wavefront OBJ, text; for 3-D graphics programs",
     .doubles = true,
     .write = write_obj_mesh},
    {.extension = ".stl",
     .summary = "STL, binary, as floats; for 3-D printing",
     .doubles = false,
     .write = write_stl_mesh},
    {.extension = ".vtp",
     .summary = "VTK polygonal data; for ParaView and VTK",
     .doubles = true,
     .write = write_vtp_mesh},
}};

}  // namespace

std::span<const MeshFormat> mesh_formats() { return kMeshFormats; }

const MeshFormat& mesh_format_for(const std::string& path) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  for (const MeshFormat& format : kMeshFormats)
    if (format.extension == extension) return format;
  throw Error(ErrorKind::usage,
              fmt::format("{}: meshes are written as {}", path, mesh_extensions()),
              {"output", "end the name in one of these"});
}

std::string mesh_extensions() { return extensions_of(kMeshFormats); }

}  // namespace skde::io
