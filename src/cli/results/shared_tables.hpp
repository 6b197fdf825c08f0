#pragma once

#include "bandwidth/bandwidth.hpp"
#include "cli/results/result_table.hpp"
#include "core/cloud/moments.hpp"
#include "core/density_metadata.hpp"
#include "core/report/error.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"
#include "core/space/volume.hpp"
#include "estimate/read/error_probe.hpp"
#include "estimate/values/density_plan.hpp"
#include "io/points/columns/read_columns.hpp"

namespace skde::cli {

// How documents write library types that several of them contain.

/// A grid with the precision of its values.
struct StoredGrid {
  Grid grid;
  Precision precision{};
};
inline StoredGrid stored_grid(const Volume& volume) { return {volume.grid(), volume.precision()}; }

template <>
inline constexpr const auto& kWordsOf<Boundary> = kBoundaries;
template <>
inline constexpr const auto& kWordsOf<CellValue> = kCellValues;
template <>
inline constexpr const auto& kWordsOf<Normalization> = kNormalizations;
template <>
inline constexpr const auto& kWordsOf<Precision> = kPrecisions;

/// The words of `--covariance`, and "file" for a matrix from a file.
inline constexpr std::array<std::string_view, 8> kCovariances{"data",   "diag", "robust", "iso",
                                                              "within", "auto", "free",   "file"};

// Descriptions of fields that several documents contain.
inline constexpr std::string_view kSharpenedMeaning =
    "samples were moved by half of their mean shift before the sum";
inline constexpr std::string_view kCellsMeaning =
    "centre: values at the centres of cells; mean: means over cells";
inline constexpr std::string_view kBoundaryMeaning =
    "along x, y and z: treatment of kernels beyond the faces of the box";
inline constexpr std::string_view kSourceMeaning =
    "the rule, 'given', or 'samples' if each sample has its own and H is their mean";
inline constexpr std::string_view kErrorMeaning = "of a value, as a share of the peak";
inline constexpr std::string_view kBlocksMeaning =
    "blocks of an indexed file that reach the box; null if the whole file is read";
inline constexpr std::string_view kMeasuredMeaning =
    "against direct sums in double; null if only rounding errors are expected, or if not measured";

template <>
struct JsonType<Vec3> {
  static nlohmann::ordered_json value(Vec3 v);
  static void read(const nlohmann::ordered_json& json, Vec3& v);
  static nlohmann::ordered_json schema(nlohmann::ordered_json& types);
};
template <>
struct JsonType<Symmetric3> {
  static nlohmann::ordered_json value(const Symmetric3& m);
  static void read(const nlohmann::ordered_json& json, Symmetric3& m);
  static nlohmann::ordered_json schema(nlohmann::ordered_json& types);
};
template <>
struct JsonType<KernelFunction> {
  static nlohmann::ordered_json value(KernelFunction kernel) { return kernel->name; }
  static void read(const nlohmann::ordered_json& json, KernelFunction& kernel) {
    kernel = KernelFunction::named(json.get<std::string>());
  }
  static nlohmann::ordered_json schema(nlohmann::ordered_json&) { return {{"type", "string"}}; }
};

void add_fields(Fields<Box>& fields);
void add_fields(Fields<StoredGrid>& fields);
void add_fields(Fields<Moments>& fields);
void add_fields(Fields<Bandwidth>& fields);
void add_fields(Fields<Warning>& fields);
void add_fields(Fields<io::CloudCounts>& fields);
void add_fields(Fields<io::ReadColumn>& fields);
void add_fields(Fields<io::ReadColumns>& fields);
void add_fields(Fields<RejectedEngine>& fields);
void add_fields(Fields<StageTime>& fields);
void add_fields(Fields<AdaptiveFacts>& fields);
void add_fields(Fields<BlockChoice>& fields);
void add_fields(Fields<MeasuredError>& fields);

}  // namespace skde::cli
