#include "core/report/progress.hpp"

#include "core/report/error.hpp"

namespace skde {

void Progress::throw_if_cancelled() const {
  if (cancelled()) throw Error(ErrorKind::cancelled, "cancelled");
}

}  // namespace skde
