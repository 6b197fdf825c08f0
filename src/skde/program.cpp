
#include "skde/program.hpp"
#include "cli/command_program.hpp"
#include "commands/commands.hpp"
#include "commands/output/summary_documents.hpp"
#include "io/text/json_object.hpp"

namespace skde::cli {
namespace {

const auto kCommands = std::to_array<Command>(
    {kDensity, kBandwidth, kEval,     kSmooth,  kFit,      kPeaks,   kClusters, kMass,
     kInfo,    kMoments,   kMerge,    kCompare, kConvert,  kLevels,  kIso,      kSlice,
     kProject, kSample,    kOrganise, kSort,    kGenerate, kFormats, kEngines});

const CommandProgram kProgram{
    "skde",
    "exact 3-D kernel density estimation, from point clouds to volumes",
    kCommands,
    "  skde density points.ply -o density.vti\n      density on an automatic grid with an "
    "automatic bandwidth, for ParaView\n  skde density quakes.csv --columns long,lat,depth -o "
    "quakes.nrrd "
    "--picture quakes.png\n      named columns, a volume for Slicer and a picture of it\n  skde "
    "info points.ply\n      counts, bounds, covariance, suggested bandwidths and the memory of a "
    "grid\n",
    "smaller --dims, fewer samples, or --precision f32",
    [] { return io::json_text(summary_schema()); }};

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  return run_commands(kProgram, arguments);
}

}  // namespace skde::cli
