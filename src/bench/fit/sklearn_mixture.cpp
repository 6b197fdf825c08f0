#include "bench/fit/sklearn_mixture.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/json_object.hpp"
#include "io/npy_header.hpp"

namespace skde::bench {
namespace {

using Json = io::JsonObject::Json;

std::string write_job(const io::ScratchFolder& folder, const SklearnJob& job,
                      const SamplesView& samples) {
  const std::string path = folder.file("samples.npy");
  io::write_npy(path, samples.xyz, {static_cast<std::int64_t>(samples.size()), 3});
  const Json written{
      {"samples", path}, {"members", job.members}, {"seed", job.seed}, {"threads", job.threads}};
  return folder.write("job.json", io::json_text(written));
}

/// Appends a member: its mass, mean and covariance. H becomes part of the covariance.
void append(Mixture& mixture, const std::vector<double>& numbers, const Symmetric3& H,
            double mass) {
  Samples& to = mixture.members;
  to.weights.push_back(mass * numbers[0]);
  to.xyz.insert(to.xyz.end(), numbers.begin() + 1, numbers.begin() + 4);
  const double kernel[6] = {H.xx, H.xy, H.xz, H.yy, H.yz, H.zz};
  for (std::size_t entry = 0; entry < 6; ++entry)
    to.shapes.push_back(numbers[4 + entry] + kernel[entry]);
}

}  // namespace

SklearnMixture sklearn_mixture(const SklearnJob& job, const SamplesView& samples,
                               const Symmetric3& H, double mass, const Progress& progress) {
  constexpr std::size_t kNumbers = 10;
  const io::ScratchFolder folder;
  SklearnMixture found;
  found.mixture.H = H;
  const auto take = [&](const std::string& line) {
    const Json json = io::parse_json(line, "its output");
    io::JsonObject told(json, "its output");
    std::vector<double> member;
    told.read("made_by", found.made_by);
    told.read("seconds", found.seconds, 0);
    told.read("member", member);
    told.finish();
    if (member.size() == kNumbers) append(found.mixture, member, H, mass);
    return true;
  };
  const io::ProgramEnd end =
      run_script(job.python, folder, "sklearn_mixture.py", {write_job(folder, job, samples)},
                 job.patience, progress, take);
  found.late = end.late;
  if (!end.late && (end.code != 0 || found.mixture.size() == 0))
    throw Error(ErrorKind::input, fmt::format("{} ended with {}: {}; check the program", job.python,
                                              end.code, end.complaint));
  return found;
}

}  // namespace skde::bench
