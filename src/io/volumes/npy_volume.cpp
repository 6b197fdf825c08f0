#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>

#include "core/error.hpp"
#include "io/json_object.hpp"
#include "io/npy_header.hpp"
#include "io/output_file.hpp"
#include "io/volumes/slice_writer.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

using Json = nlohmann::ordered_json;

/// The JSON file beside "density.npy": "density.json".
std::string json_path(const std::string& path) {
  return std::filesystem::path(path).replace_extension(".json").string();
}

Json json_of(const Grid& grid, const DensityMetadata& metadata) {
  const Vec3 first = grid.first_centre(), &step = grid.spacing;
  Json json;
  json["shape"] = {grid.dims[2], grid.dims[1], grid.dims[0]};
  json["axes"] = "z, y, x";
  json["first_centre"] = {first.x, first.y, first.z};
  json["spacing"] = {step.x, step.y, step.z};
  for (const VolumeField& field : fields_of(metadata, grid)) {
    const auto* const numbers = std::get_if<std::vector<double>>(&field.value);
    if (!numbers)
      json[field.name] = std::get<std::string>(field.value);
    else if (numbers->size() == 1)
      json[field.name] = (*numbers)[0];
    else
      json[field.name] = *numbers;
  }
  return json;
}

/// The JSON file in front, since readers take the array for whole.
class NpyVolumeWriter final : public SliceWriter {
 public:
  NpyVolumeWriter(const std::string& path, const Grid& grid, Precision precision)
      : SliceWriter(writing_stage(path), grid, precision, kPieceBytes),
        json_(json_path(path)),
        array_(path) {
    const auto& dims = grid.dims;
    array_.write(npy_header(precision, {dims[2], dims[1], dims[0]}));
  }

 private:
  void append(std::string_view piece) override { array_.write(piece); }
  void complete(const DensityMetadata& metadata, Progress&) override {
    json_.write(json_of(grid(), metadata).dump(2, ' ', false, Json::error_handler_t::replace));
    json_.write("\n");
    array_.close();
    json_.commit();
    array_.commit();
  }

  OutputFile json_, array_;
};

VolumeFields fields_in(const Json& json) {
  VolumeFields fields;
  for (const auto& [name, value] : json.items()) {
    std::string text;
    if (value.is_string()) {
      text = value.get<std::string>();
    } else if (value.is_number()) {
      text = value.dump();
    } else if (value.is_array()) {
      for (const Json& part : value) text += part.dump() + ' ';
    }
    if (auto field = field_from_text(name, text)) fields.push_back(std::move(*field));
  }
  return fields;
}

Vec3 vector_in(JsonObject& object, const char* name, Vec3 otherwise) {
  const Json* value = object.find(name);
  if (!value) return otherwise;
  const std::vector<double> v = object.numbers(*value, name, 3);
  return {v[0], v[1], v[2]};
}

std::array<std::int64_t, 3> dims_of(const std::string& name, const NpyHeader& header) {
  if (header.is_structured())
    throw Error(ErrorKind::input, name + ": a structured array is no volume");
  if (header.shape.size() != 3)
    throw Error(ErrorKind::input, fmt::format("{}: an array of {} dimensions is no volume", name,
                                              header.shape.size()));
  std::array<std::int64_t, 3> dims{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint64_t extent = header.shape[2 - axis];
    dims[axis] = extent < (std::uint64_t{1} << 31) ? static_cast<std::int64_t>(extent) : 0;
  }
  return dims;
}

}  // namespace

std::unique_ptr<VolumeWriter> npy_volume_writer(const std::string& path, const Grid& grid,
                                                Precision precision, const DensityMetadata&) {
  if (json_path(path) == path)
    throw Error(ErrorKind::usage, fmt::format("{}: its metadata would go to the same file", path),
                {{}, "end it in .npy"});
  return std::make_unique<NpyVolumeWriter>(path, grid, precision);
}

VolumeFile read_npy_volume(const std::string& path) {
  BufferedSource source(open_source(path));
  const NpyHeader header = read_npy_header(source);
  if (header.fortran_order)
    throw Error(ErrorKind::input, fmt::format("{}: is in Fortran order", path),
                {{}, "save numpy.ascontiguousarray of it"});
  const std::string beside = json_path(path);
  const Json json = std::filesystem::exists(beside) ? read_json(beside) : Json::object();
  JsonObject object(json, beside);
  const VolumeFields fields = fields_in(json);
  const Grid grid =
      grid_of_file(path, vector_in(object, "first_centre", {0, 0, 0}),
                   vector_in(object, "spacing", {1, 1, 1}), dims_of(source.name(), header));
  return {read_values(source, exact_grid(grid, fields), header.type, header.big_endian),
          metadata_from(fields)};
}

bool is_npy_volume(const std::string& path) {
  BufferedSource source(open_source(path));
  try {
    const NpyHeader header = read_npy_header(source);
    return header.shape.size() == 3 && !header.is_structured();
  } catch (const Error&) {
    return false;  // the reader of points will say what is wrong
  }
}

}  // namespace skde::io
