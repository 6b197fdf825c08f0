#include <algorithm>
#include <array>

#include "cli/command_program.hpp"
#include "cli/exit_code.hpp"
#include "cli/standard_output.hpp"
#include "commands/commands.hpp"
#include "commands/output/summary_documents.hpp"
#include "io/json_object.hpp"
#include "skde/program.hpp"
#include "skde/remote/server_call.hpp"
#include "skde/remote/server_run.hpp"

namespace skde::cli {
namespace {

constexpr auto kCommands = std::to_array<Command>({
    {"density", "a cloud of samples in, a density volume or a picture out", run_density},
    {"bandwidth", "a bandwidth chosen by a rule or by the samples, and the curve behind it",
     run_bandwidth},
    {"eval", "the density at points, as a column of their file", run_eval},
    {"smooth", "means of a cloud's columns on a grid, as volumes, or at points", run_smooth},
    {"info", "what a cloud or a volume file holds", run_info},
    {"moments", "the exact moments of a cloud, or of a part of it", run_moments},
    {"merge", "partial sums of a density, or moments of parts, as one", run_merge},
    {"compare", "how alike two density volumes are, and their ratio", run_compare},
    {"convert", "a volume file in another format", run_convert},
    {"levels", "the levels at which a volume's regions of highest density hold a mass", run_levels},
    {"iso", "the surface of a volume at a level, or around a mass, as a mesh", run_iso},
    {"slice", "planes of a volume, as a picture, an array or a table", run_slice},
    {"project", "integrals or maxima of a volume along an axis, likewise", run_project},
    {"sample", "samples drawn from the density estimate of a cloud", run_sample},
    {"generate", "a seeded synthetic cloud, for trying things out", run_generate},
    {"formats", "the files that skde reads and writes", run_formats},
    {"engines", "the ways to compute a density, and which of them run here", run_engines},
});

constexpr CommandProgram kProgram{
    "skde",
    "exact 3-D kernel density estimation, from point clouds to volumes",
    kCommands,
    "  skde density points.ply -o density.vti\n"
    "      density on an automatic grid with Silverman's bandwidth, for ParaView\n"
    "  skde density quakes.csv --columns long,lat,depth -o quakes.nrrd --picture quakes.png\n"
    "      named columns, a volume for Slicer and a picture of it\n"
    "  skde info points.ply\n"
    "      counts, bounds, covariance, suggested bandwidths and the memory a grid needs\n",
    "smaller --dims, fewer samples, or --precision f32",
    [] { return io::json_text(summary_schema()); }};

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  if (!names_server(arguments)) return run_commands(kProgram, arguments);
  const bool as_json = std::ranges::find(arguments, "--json") != arguments.end();
  return exit_code_of({kProgram.name, kProgram.memory_hint, as_json},
                      [&] { print_result(run_on_server(arguments)); });
}

}  // namespace skde::cli
