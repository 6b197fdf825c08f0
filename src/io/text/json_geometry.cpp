#include "io/text/json_geometry.hpp"

#include <limits>
#include <vector>

namespace skde::io {

using Json = nlohmann::ordered_json;

Json to_json(Vec3 v) { return {v.x, v.y, v.z}; }

Json to_json(const Symmetric3& s) { return {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz}; }

Json to_json(const Box& box) { return {to_json(box.lower), to_json(box.upper)}; }

Json to_json(const std::array<std::int64_t, 3>& dims) { return Json(dims); }

Json to_json(const Grid& grid) {
  return {{"lower", to_json(grid.lower)},
          {"spacing", to_json(grid.spacing)},
          {"dims", to_json(grid.dims)}};
}

Vec3 vector_from(const JsonObject& object, const JsonObject::Json& value, std::string_view key) {
  const std::vector<double> v = object.numbers(value, key, 3);
  return {v[0], v[1], v[2]};
}

Vec3 lengths_from(const JsonObject& object, const JsonObject::Json& value, std::string_view key) {
  const Vec3 v = vector_from(object, value, key);
  if (!(v.x > 0 && v.y > 0 && v.z > 0)) object.fail(key, "must be lengths above 0");
  return v;
}

Symmetric3 matrix_from(const JsonObject& object, const JsonObject::Json& value,
                       std::string_view key) {
  const std::vector<double> v = object.numbers(value, key, 6);
  const Symmetric3 matrix{v[0], v[1], v[2], v[3], v[4], v[5]};
  if (!is_positive_definite(matrix)) object.fail(key, "must be positive definite");
  return matrix;
}

std::array<std::int64_t, 3> dims_from(const JsonObject& object, const JsonObject::Json& value,
                                      std::string_view key) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (!value.is_array() || value.size() != 3)
    object.fail(key, "must be an array of 3 numbers of cells");
  std::array<std::int64_t, 3> dims{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    dims[axis] = object.whole(value[axis], key, 0, kMost);
  const bool along_longest = dims[1] == 0 && dims[2] == 0;
  if (dims[0] < 1 || (!along_longest && (dims[1] < 1 || dims[2] < 1)))
    object.fail(key, "must hold at least one cell along each axis, or be [n, 0, 0]");
  return dims;
}

Box box_from(const JsonObject& object, const JsonObject::Json& value, std::string_view key) {
  if (!value.is_array() || value.size() != 2) object.fail(key, "must be two corners");
  const Box box{vector_from(object, value[0], key), vector_from(object, value[1], key)};
  const Vec3 extent = box.extent();
  if (!(extent.x > 0 && extent.y > 0 && extent.z > 0))
    object.fail(key, "must have its first corner below its second");
  return box;
}

Grid grid_from(const JsonObject& object, const JsonObject::Json& value, std::string_view key,
               std::string* frame) {
  JsonObject own = object.object(value, key);
  own.require({"lower", "spacing", "dims"});
  Grid grid;
  grid.lower = vector_from(own, *own.find("lower"), "lower");
  grid.spacing = lengths_from(own, *own.find("spacing"), "spacing");
  grid.dims = dims_from(own, *own.find("dims"), "dims");
  if (grid.dims[1] == 0) own.fail("dims", "must hold at least one cell along each axis");
  if (frame != nullptr) own.read("frame", *frame);
  own.finish();
  return grid;
}

}  // namespace skde::io
