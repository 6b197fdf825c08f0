#include <malloc.h>

#include <string_view>
#include <vector>

#include "cli/documents/document.hpp"
#include "cli/exit_code.hpp"
#include "cli/outputs.hpp"
#include "service/service.hpp"
#include "service/worker/worker_link.hpp"

namespace {

void run(const std::vector<std::string>& arguments) {
  using namespace skde;
  if (!arguments.empty() && arguments.front() == "--version")
    return cli::print(cli::version_line("skde-serve"));
  service::ServiceOptions options;
  const cli::OptionTable table = service::make_service_table(options);
  if (const auto wanted = cli::wanted_document(table.describe(), arguments))
    return cli::print(*wanted);
  const cli::ParsedFlags flags = table.parse(arguments);
  if (flags.help_wanted) return cli::print(table.help(flags));
  service::check_service_options(options, flags);
  service::serve(options);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--worker")
    return skde::service::run_worker(argv[2]);
  // Returns large bodies to the system when they are freed. The C library would raise this
  // threshold with each of them, and keep them in a heap that smaller blocks stop from shrinking.
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  skde::cli::hold_standard_files();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return skde::cli::exit_code_of({"skde-serve", "fewer samples", false}, [&] { run(arguments); });
}
