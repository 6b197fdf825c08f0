#include "cli/command_session.hpp"

#include <utility>

namespace skde::cli {

CommandSession::CommandSession(SessionKeeper* keeper, const CloudFiles& files,
                               SessionOptions options, bool in_memory, Progress& progress) {
  if (keeper && options.memory_limit == 0) {
    session_ = &keeper->session(files, in_memory, progress);
    return;
  }
  session_ = &own_.emplace(std::move(options));
  if (in_memory)
    session_->open(files, progress);
  else
    session_->open_in_parts(files);
}

}  // namespace skde::cli
