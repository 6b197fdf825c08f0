#include "bench/peers/python_script.hpp"

#include <fmt/core.h>

#include "bench/peers/embedded_scripts.hpp"

namespace skde::bench {

Python find_python(const std::string& named, std::string_view modules, const Progress& progress) {
  constexpr double kPatience = 60;  // in seconds
  const auto candidates =
      named.empty() ? std::vector<std::string>{"python3", "/usr/bin/python3"} : std::vector{named};
  std::string problems;
  for (const std::string& python : candidates) {
    const io::ProgramEnd end =
        io::run_program({python, "-c", fmt::format("import {}", modules)}, kPatience, progress,
                        [](const std::string&) { return true; });
    if (end.code == 0 && !end.late) return {python, ""};
    problems += fmt::format("{}{}: {}", problems.empty() ? "" : "; ", python,
                            end.late ? "does not answer" : end.complaint);
  }
  return {"", problems + " (--python names another interpreter)"};
}

io::ProgramEnd run_script(const std::string& python, const io::ScratchFolder& folder,
                          std::string_view script, const std::vector<std::string>& arguments,
                          double patience, const Progress& progress,
                          const io::TakeLine& take_line) {
  for (const auto& [name, text] : kEmbeddedScripts) folder.write(name, text);
  std::vector<std::string> command{python, "-B", folder.file(script)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return io::run_program(command, patience, progress, take_line);
}

}  // namespace skde::bench
