#pragma once

#include <cstdint>
#include <utility>

#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"

namespace skde::test {

/// Returns a session with these samples open.
template <class... Opened>
Session session_with(Opened&&... samples) {
  Session session;
  session.open(std::forward<Opened>(samples)...);
  return session;
}

/// Returns the volume of files, and its facts, from a session with this memory limit. Files that do
/// not fit are read in parts.
inline std::pair<Volume, DensityFacts> computed_within(std::int64_t memory_limit,
                                                       const CloudFiles& files,
                                                       const DensityRequest& request) {
  SessionOptions options;
  options.memory_limit = memory_limit;
  Session session(options);
  session.open_in_parts(files);
  Density density = session.compute(request);
  return {density.take_volume(), std::move(density.facts())};
}

}  // namespace skde::test
