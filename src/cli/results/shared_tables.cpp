#include "cli/results/shared_tables.hpp"

namespace skde::cli {

nlohmann::ordered_json JsonType<Vec3>::value(Vec3 v) { return {v.x, v.y, v.z}; }

void JsonType<Vec3>::read(const nlohmann::ordered_json& json, Vec3& v) {
  v = {json.at(0), json.at(1), json.at(2)};
}

nlohmann::ordered_json JsonType<Vec3>::schema(nlohmann::ordered_json& types) {
  types["vector"] = JsonType<std::array<double, 3>>::schema(types);
  return {{"$ref", "#/$defs/vector"}};
}

nlohmann::ordered_json JsonType<Symmetric3>::value(const Symmetric3& m) {
  return {{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}};
}

void JsonType<Symmetric3>::read(const nlohmann::ordered_json& json, Symmetric3& m) {
  const auto [x, y, z] = read_as<std::array<Vec3, 3>>(json);
  m = {x.x, x.y, x.z, y.y, y.z, z.z};
}

nlohmann::ordered_json JsonType<Symmetric3>::schema(nlohmann::ordered_json& types) {
  types["matrix"] = JsonType<std::array<Vec3, 3>>::schema(types);
  return {{"$ref", "#/$defs/matrix"}};
}

void add_fields(Fields<Box>& add) {
  add.name("box");
  add("lower", &Box::lower);
  add("upper", &Box::upper);
}

void add_fields(Fields<StoredGrid>& add) {
  add.name("grid");
  add(
      "dims", "cells along x, y and z", [](auto& stored) -> auto& { return stored.grid.dims; });
  add(
      "spacing", [](auto& stored) -> auto& { return stored.grid.spacing; });
  add(
      "bounds", "outer faces", [](auto& stored) { return stored.grid.bounds(); },
      [](auto& stored, const Box& box) { stored.grid.lower = box.lower; });
  add("first_centre", [](auto& stored) { return stored.grid.first_centre(); });
  add("last_centre", [](auto& stored) {
    const auto [nx, ny, nz] = stored.grid.dims;
    return stored.grid.centre(nx - 1, ny - 1, nz - 1);
  });
  add("precision", &StoredGrid::precision);
  add("bytes", [](auto& stored) { return stored.grid.bytes(stored.precision); });
}

void add_fields(Fields<Moments>& add) {
  add.name("moments");
  add("bounds", &Moments::bounds);
  add("mean", &Moments::mean);
  add("covariance", &Moments::covariance);
}

void add_fields(Fields<Bandwidth>& add) {
  add.name("bandwidth");
  add("source", kSourceMeaning, &Bandwidth::source);
  add("H", &Bandwidth::H);
  add("h", "null if H was given", [](auto& bandwidth) { return OrNull{bandwidth.h}; });
  add("silverman", "h of that rule if auto chose another",
      [](auto& bandwidth) { return OrNull{bandwidth.silverman}; });
  add("scored", "random samples that chose h for all; 0: all samples did", &Bandwidth::scored);
}

void add_fields(Fields<Warning>& add) {
  add.name("warning");
  add("kind", &Warning::kind);
  add("message", &Warning::problem);
  add("parameter", [](auto& warning) { return OrNull{warning.advice.parameter}; });
  add("suggestion", "parameters are in backticks: `memory_limit` is --memory-limit",
      [](auto& warning) { return OrNull{warning.advice.suggestion}; });
}

void add_fields(Fields<io::CloudCounts>& add) {
  add.name("samples");
  add("read", &io::CloudCounts::rows);
  add("used", &io::CloudCounts::samples);
  add("dropped_non_finite", &io::CloudCounts::non_finite);
  add("dropped_zero_weight", &io::CloudCounts::zero_weight);
  add("dropped_zero_width", &io::CloudCounts::zero_width);
  add("left_out", "rows for which the condition of --where does not hold",
      &io::CloudCounts::left_out);
  add("comments", "lines below the header of a text that begin with #, % or //",
      &io::CloudCounts::comments);
}

void add_fields(Fields<io::ReadColumn>& add) {
  add.name("column");
  add("name", [](auto& column) { return OrNull{column.name}; });
  add("number", "from 1", &io::ReadColumn::number);
  add("quantity", "the name without its unit",
      [](auto& column) { return OrNull{column.quantity}; });
  add("units", [](auto& column) { return OrNull{column.units}; });
}

void add_fields(Fields<io::ReadColumns>& add) {
  add.name("columns");
  add(
      "x", [](auto& columns) -> auto& { return columns.xyz[0]; });
  add(
      "y", [](auto& columns) -> auto& { return columns.xyz[1]; });
  add(
      "z", [](auto& columns) -> auto& { return columns.xyz[2]; });
  add("weight", &io::ReadColumns::weight);
  add("widths", &io::ReadColumns::widths);
  add("category", &io::ReadColumns::category);
  add("others", &io::ReadColumns::others);
  add("left_out", "what the file holds besides columns of numbers", &io::ReadColumns::left_out);
  add("frame", "how coordinates in degrees were converted",
      [](auto& columns) { return OrNull{columns.frame}; });
  add("where", "the condition that rows must fulfil to be used",
      [](auto& columns) { return OrNull{columns.where}; });
  add("remark", "what the file holds besides a cloud",
      [](auto& columns) { return OrNull{columns.remark}; });
}

void add_fields(Fields<RejectedEngine>& add) {
  add("name", &RejectedEngine::engine);
  add("reason", &RejectedEngine::why);
}

void add_fields(Fields<StageTime>& add) {
  add("stage", &StageTime::stage);
  add("seconds", &StageTime::seconds);
}

void add_fields(Fields<AdaptiveFacts>& add) {
  add("alpha", &AdaptiveFacts::alpha);
  add("least_width", "of a sample, as a factor on the bandwidth", &AdaptiveFacts::least);
  add("largest_width", &AdaptiveFacts::largest);
}

void add_fields(Fields<BlockChoice>& add) {
  add.name("blocks");
  add("read", "blocks that are read, wholly or in part", &BlockChoice::read_blocks);
  add("all", "blocks of the file", &BlockChoice::blocks);
  add("rows", "that are read", [](auto& blocks) { return blocks.read_rows(); });
  add("box_rows", "that would be read if kernels had no reach", &BlockChoice::box_rows);
  add("share", "of the file's rows", [](auto& blocks) { return blocks.share(); });
}

void add_fields(Fields<MeasuredError>& add) {
  add.name("measured_error");
  add("error", "the largest, as a share of the peak", &MeasuredError::error);
  add("cells", "drawn at random", [](auto& measured) { return measured.cells; });
}

}  // namespace skde::cli
