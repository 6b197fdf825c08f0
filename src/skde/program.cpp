#include <array>

#include "cli/command_program.hpp"
#include "skde/commands.hpp"

namespace skde::cli {
namespace {

constexpr std::array<Command, 8> kCommands{{
    {"density", "a cloud of samples in, a density volume or a picture out", run_density},
    {"eval", "the density at points, as a column of their file", run_eval},
    {"smooth", "means of a cloud's columns at points, as columns of their file", run_smooth},
    {"info", "what a cloud or a volume file holds", run_info},
    {"convert", "a volume file in another format", run_convert},
    {"generate", "a seeded synthetic cloud, for trying things out", run_generate},
    {"formats", "the files that skde reads and writes", run_formats},
    {"engines", "the ways to compute a density, and which of them run here", run_engines},
}};

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
    true};

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  return run_commands(kProgram, arguments);
}

}  // namespace skde::cli
