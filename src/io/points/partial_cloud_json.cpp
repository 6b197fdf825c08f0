#include "io/points/partial_cloud_json.hpp"

#include <cmath>
#include <vector>

#include "core/report/error.hpp"
#include "io/text/text_file.hpp"

namespace skde::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEntryNames[] = {"xx", "xy", "xz", "yy", "yz", "zz"};

ExactSum sum_of(const std::vector<double>& parts) {
  ExactSum sum;
  for (const double part : parts) sum.add(part);
  return sum;
}

void read_corner(JsonObject& object, const char* key, Vec3& corner) {
  object.require({key});
  const std::vector<double> numbers = object.numbers(*object.find(key), key, 3);
  corner = {numbers[0], numbers[1], numbers[2]};
}

Json sums_json(const ExactMoments::Sums& sums) {
  Json json = {{"weight", sums.weight.parts()}, {"weight_squared", sums.weight_squared.parts()}};
  for (std::size_t a = 0; a < 3; ++a) json[std::string(1, kAxisNames[a])] = sums.first[a].parts();
  for (std::size_t entry = 0; entry < 6; ++entry)
    json[kEntryNames[entry]] = sums.second[entry].parts();
  return json;
}

void read_moments(JsonObject& object, ExactMoments& moments) {
  ExactMoments::Sums sums;
  object.require({"samples", "largest_weight", "sums"});
  object.read_whole("samples", sums.count, 0);
  object.read("largest_weight", sums.largest_weight, 0);
  if (sums.count > 0) {
    read_corner(object, "lower", sums.bounds.lower);
    read_corner(object, "upper", sums.bounds.upper);
    for (int axis = 0; axis < 3; ++axis)
      if (sums.bounds.lower[axis] > sums.bounds.upper[axis])
        object.fail("upper", "is below 'lower'");
  }
  JsonObject parts = object.object(*object.find("sums"), "sums");
  read_sum(parts, "weight", sums.weight);
  read_sum(parts, "weight_squared", sums.weight_squared);
  for (std::size_t a = 0; a < 3; ++a) read_sum(parts, std::string(1, kAxisNames[a]), sums.first[a]);
  for (std::size_t entry = 0; entry < 6; ++entry)
    read_sum(parts, kEntryNames[entry], sums.second[entry]);
  parts.finish();
  const double weight = sums.weight.value();
  if ((sums.count > 0) != (weight > 0) || sums.largest_weight > weight)
    object.fail("sums", "does not match the counts of samples and weights");
  moments = ExactMoments(sums);
}

void read_pieces(JsonObject& object, std::vector<PartialPiece>& pieces) {
  object.objects("pieces", [&](JsonObject one) {
    PartialPiece piece;
    one.require({"inputs", "part", "parts"});
    one.read("inputs", piece.inputs);
    one.read_whole("parts", piece.parts, 1, kMostParts);
    one.read_whole("part", piece.part, 1, static_cast<std::int64_t>(piece.parts));
    one.finish();
    pieces.push_back(std::move(piece));
  });
}

}  // namespace

void read_sum(JsonObject& object, const std::string& key, ExactSum& sum) {
  object.require({key});
  std::vector<double> parts;
  object.read(key, parts);
  sum = sum_of(parts);
  if (!std::isfinite(sum.value())) object.fail(key, "is beyond the range of a double");
}

void put(Json& json, const PartialCloud& cloud) {
  const ExactMoments::Sums& sums = cloud.moments.sums();
  json["version"] = cloud.version;
  json["pieces"] = Json::array();
  for (const PartialPiece& piece : cloud.pieces)
    json["pieces"].push_back(
        {{"inputs", piece.inputs}, {"part", piece.part}, {"parts", piece.parts}});
  json["rows"] = cloud.rows.rows;
  json["dropped_non_finite"] = cloud.rows.non_finite;
  json["dropped_zero_weight"] = cloud.rows.zero_weight;
  if (!cloud.frame.empty()) json["frame"] = cloud.frame;
  if (!cloud.where.empty()) {
    json["left_out"] = cloud.rows.left_out;
    json["where"] = cloud.where;
  }
  if (cloud.rows.beyond > 0) json["beyond_faces"] = cloud.rows.beyond;
  json["units"] = cloud.units;
  json["axis_names"] = cloud.axis_names;
  json["weighted"] = cloud.weighted;
  json["samples"] = sums.count;
  json["largest_weight"] = sums.largest_weight;
  if (sums.count > 0) {
    const Box& box = sums.bounds;
    json["lower"] = {box.lower.x, box.lower.y, box.lower.z};
    json["upper"] = {box.upper.x, box.upper.y, box.upper.z};
  }
  json["sums"] = sums_json(sums);
}

void read(JsonObject& object, PartialCloud& cloud) {
  object.require({"version", "pieces", "rows", "weighted", "units", "axis_names"});
  object.read("version", cloud.version);
  read_pieces(object, cloud.pieces);
  object.read_whole("rows", cloud.rows.rows, 0);
  object.read_whole("dropped_non_finite", cloud.rows.non_finite, 0);
  object.read_whole("dropped_zero_weight", cloud.rows.zero_weight, 0);
  object.read("frame", cloud.frame);
  if (object.find("where")) {
    object.read_whole("left_out", cloud.rows.left_out, 0);
    object.read("where", cloud.where);
  }
  if (object.find("beyond_faces")) object.read_whole("beyond_faces", cloud.rows.beyond, 0);
  object.read("units", cloud.units);
  std::vector<std::string> names;
  object.read("axis_names", names);
  if (names.size() != 3) object.fail("axis_names", "must be an array of three names");
  for (std::size_t a = 0; a < 3; ++a) cloud.axis_names[a] = names[a];
  object.read("weighted", cloud.weighted);
  read_moments(object, cloud.moments);
}

Json moments_document(const PartialCloud& cloud) {
  Json json = {{"schema_version", 1}, {"kind", "cloud_moments"}};
  put(json, cloud);
  if (cloud.moments.count() == 0) return json;
  const Moments moments = cloud.moments.moments();
  const Vec3 mean = moments.mean();
  const Symmetric3 s = moments.covariance();
  json["total_weight"] = moments.total_weight();
  json["effective_samples"] = moments.effective_samples();
  json["mean"] = {mean.x, mean.y, mean.z};
  json["covariance"] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
  return json;
}

PartialCloud read_moments_file(const std::string& path, const OpenFiles& files) {
  const Json json = parse_json(read_text(path, files), path);
  JsonObject object(json, path);
  std::string kind;
  std::int64_t version = 0;
  object.require({"kind", "schema_version"});
  object.read("kind", kind);
  if (kind != "cloud_moments") object.fail("kind", "is not an object of moments");
  object.read_whole("schema_version", version, 1, 1);
  PartialCloud cloud;
  read(object, cloud);
  for (const char* told : {"total_weight", "effective_samples", "mean", "covariance"})
    static_cast<void>(object.find(told));  // derived from the sums
  object.finish();
  return cloud;
}

}  // namespace skde::io
