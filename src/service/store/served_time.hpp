#pragma once

#include <cstdint>
#include <vector>

#include "service/store/database.hpp"

namespace skde::service {

/// Records when the service has run, by the machine's clock. Unused data age only while the service
/// runs, so that a wrong clock or months without power remove nothing. All times are in
/// milliseconds; those of the clock count from 1970.
class ServedTime {
 public:
  /// Records that the service runs at `now`; `steady` is the same time on a clock that is never
  /// set.
  void run(std::int64_t now, std::int64_t steady);
  /// Returns how long the service has run since `used`. If the clock has jumped, the result is
  /// rather too small than too large.
  std::int64_t since(std::int64_t used) const;
  /// Removes spans older than this amount of service time.
  void forget_before(std::int64_t served);

  // Read and write their table. Throw Problem.
  void load(Database& database);
  void save(Database& database) const;

 private:
  /// A span without a gap and without a jump of the clock.
  struct Span {
    std::int64_t begin = 0, last = 0;
  };

  std::vector<Span> spans_;   ///< newest last
  std::int64_t steady_ = -1;  ///< at the last run(); -1 before it
};

}  // namespace skde::service
