#include "bench/fake_peer.hpp"

#include <filesystem>

#include "bench/peers/python_script.hpp"
#include "estimate/session.hpp"
#include "support/catch.hpp"

namespace skde::test {

std::string shell_program(const TemporaryFolder& folder, const std::string& name,
                          const std::string& commands) {
  std::string path = folder.file(name, "#!/bin/sh\n" + commands);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

std::string peer_python() {
  const bench::Python found = bench::find_python("", "numpy, scipy.io", NoProgress());
  INFO(found.problem);
  REQUIRE(!found.path.empty());
  return found.path;
}

bench::BenchmarkCase small_peer_case() {
  bench::BenchmarkCase wanted;
  wanted.samples = 500;
  wanted.cells = 12;
  return wanted;
}

Volume density_of(const bench::BenchmarkInput& input) {
  Session session;
  session.open(input.clouds.front().view());
  DensityRequest request = input.request();
  request.precision = Precision::f64;
  return session.compute(request).take_volume();
}

bench::MeasurementSettings quick_settings() {
  bench::MeasurementSettings settings;
  settings.repetitions = 2;
  settings.max_seconds = 5;
  settings.start_seconds = 20;
  return settings;
}

bench::Result measured_peer(const bench::Peer& peer, const bench::BenchmarkCase& wanted,
                            const bench::MeasurementSettings& settings) {
  const bench::BenchmarkInput input = bench::make_input(wanted);
  bench::CaseCheck check(input, 50);
  NoProgress progress;
  return bench::measure_peer(peer, input, "test", settings, check, progress);
}

bool has(const bench::Result& row, const std::string& part) {
  INFO(row.reason);
  return row.reason.find(part) != std::string::npos;
}

}  // namespace skde::test
