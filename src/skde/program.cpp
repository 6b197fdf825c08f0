#include <array>

#include "cli/command_program.hpp"
#include "commands/commands.hpp"
#include "commands/output/summary_documents.hpp"
#include "io/text/json_object.hpp"
#include "skde/program.hpp"

namespace skde::cli {
namespace {

constexpr auto kCommands = std::to_array<Command>({
    {"density", "computes a density volume or a picture from a cloud of samples", run_density},
    {"bandwidth", "chooses a bandwidth by a rule or from the samples, and shows the scores",
     run_bandwidth},
    {"eval", "evaluates the density at points, as a column of their file", run_eval},
    {"smooth", "kernel regression (Nadaraya-Watson): means of columns on a grid or at points",
     run_smooth},
    {"fit", "fits a mixture of ellipsoids to the density of a cloud, or to a volume", run_fit},
    {"info", "describes a cloud or a volume file", run_info},
    {"moments", "computes the exact moments of a cloud, or of a part of it", run_moments},
    {"merge", "combines partial sums of a density, or moments of parts", run_merge},
    {"compare", "compares two density volumes, and writes their ratio", run_compare},
    {"convert", "converts a volume file to another format", run_convert},
    {"levels", "computes the density levels of a volume's regions of highest density", run_levels},
    {"iso", "writes the surface of a volume at a level, or around a mass, as a mesh", run_iso},
    {"slice", "writes planes of a volume, as a picture, an array or a table", run_slice},
    {"project", "projects a volume along an axis: integrals or maxima", run_project},
    {"sample", "draws samples from the density estimate of a cloud", run_sample},
    {"organise", "puts the rows of a cloud on a grid so that neighbours have similar values",
     run_organise},
    {"sort", "writes the rows of a cloud in the order of a curve or of a column", run_sort},
    {"generate", "writes a seeded synthetic cloud, for trials", run_generate},
    {"formats", "lists the files that skde reads and writes", run_formats},
    {"engines", "lists the engines, and which of them can run here", run_engines},
});

constexpr CommandProgram kProgram{
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
