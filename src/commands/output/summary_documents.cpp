#include "commands/output/summary_documents.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "cli/results/json_document.hpp"
#include "cli/results/result_table.hpp"
#include "commands/output/bandwidth_report.hpp"
#include "commands/output/category_report.hpp"
#include "commands/output/cloud_info.hpp"
#include "commands/output/comparison_report.hpp"
#include "commands/output/density_output.hpp"
#include "commands/output/fit_report.hpp"
#include "commands/output/mean_report.hpp"
#include "commands/output/plan_report.hpp"
#include "commands/output/volume_info.hpp"
#include "io/text/json_object.hpp"

namespace skde::cli {
namespace {

/// Moments are also a file format; io/points/partial_sums_file.cpp writes and reads the same
/// names.
constexpr std::string_view kMomentsSchema = R"({
  "type": "object",
  "description": "skde moments, and the file that it and skde merge write",
  "required": ["schema_version", "kind", "version", "pieces", "rows", "dropped_non_finite", "dropped_zero_weight",
               "units", "axis_names", "weighted", "samples", "largest_weight", "sums"],
  "properties": {
    "schema_version": {"const": 1},
    "kind": {"const": "cloud_moments"},
    "version": {"type": "string"},
    "pieces": {"type": "array", "items": {"type": "object", "required": ["inputs", "part", "parts"], "properties": {
      "inputs": {"type": "array", "items": {"type": "string"}},
      "part": {"type": "integer", "minimum": 1},
      "parts": {"type": "integer", "minimum": 1}}}},
    "rows": {"type": "integer", "minimum": 0},
    "dropped_non_finite": {"type": "integer", "minimum": 0},
    "dropped_zero_weight": {"type": "integer", "minimum": 0},
    "left_out": {"type": "integer", "minimum": 0},
    "beyond_faces": {"type": "integer", "minimum": 0},
    "frame": {"type": "string", "description": "how coordinates in degrees were converted"},
    "where": {"type": "string", "description": "the condition that rows must fulfil to be used"},
    "units": {"type": "string"},
    "axis_names": {"type": "array", "items": {"type": "string"}, "minItems": 3, "maxItems": 3},
    "weighted": {"type": "boolean"},
    "samples": {"type": "integer", "minimum": 0},
    "largest_weight": {"type": "number", "minimum": 0},
    "lower": {"$ref": "#/$defs/vector", "description": "of the samples' bounding box; absent if there are no samples"},
    "upper": {"$ref": "#/$defs/vector"},
    "sums": {"type": "object", "description": "of w, w^2, w x and the entries of w x x^T",
             "additionalProperties": {"type": "array", "items": {"type": "number"},
               "description": "doubles whose exact sum is the value, the largest first"}},
    "total_weight": {"type": "number"},
    "effective_samples": {"type": "number"},
    "mean": {"$ref": "#/$defs/vector"},
    "covariance": {"$ref": "#/$defs/matrix"}}
})";

}  // namespace

nlohmann::ordered_json summary_schema() {
  nlohmann::ordered_json schema = schema_of_documents(std::array{&result_table<DensityRun>(),
                                                                 &result_table<CloudInfo>(),
                                                                 &result_table<VolumeShown>(),
                                                                 &result_table<VolumeList>(),
                                                                 &clusters_document(),
                                                                 &conversion_document(),
                                                                 &engines_document(),
                                                                 &result_table<OffersShown>(),
                                                                 &result_table<PlanShown>(),
                                                                 &formats_document(),
                                                                 &levels_document(),
                                                                 &masses_document(),
                                                                 &result_table<ComparisonRun>(),
                                                                 &surface_document(),
                                                                 &slices_document(),
                                                                 &projection_document(),
                                                                 &result_table<CategoryRun>(),
                                                                 &draws_document(),
                                                                 &generated_document(),
                                                                 &organised_document(),
                                                                 &sorted_document(),
                                                                 &result_table<BandwidthRun>(),
                                                                 &evaluation_document(),
                                                                 &result_table<MeanRun>(),
                                                                 &result_table<FitRun>(),
                                                                 &partial_sums_document(),
                                                                 &peaks_document(),
                                                                 &merged_document(),
                                                                 &result_table<Failure>()});
  schema["oneOf"].push_back({{"$ref", "#/$defs/cloud_moments"}});
  schema["$defs"]["cloud_moments"] = io::parse_json(kMomentsSchema, "the schema of moments");
  return schema;
}

}  // namespace skde::cli
