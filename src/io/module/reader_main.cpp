// skde-reader: reads a file on behalf of another program of skde, which starts it. See
// io/module/sandboxed_reader.hpp.

#include <cstdlib>
#include <string>

#include "io/module/sandboxed_reader.hpp"
#include "io/points/clouds/laz_points.hpp"

int main(int argc, char** argv) {
  using namespace skde::io;
  if (argc != 4 && argc != 5) return 2;
  const std::string format = argv[1], part = argv[2], path = argv[3],
                    name = argc > 4 ? argv[4] : "";
  const int code = answer_reader(path, [&](const GiveBytes& give) {
    if (format != "laz") return send_part(give, format, part, path, name);
    unpack_laz(path, name, [&](std::string_view records) { send_bytes(give, records); });
    send_bytes(give, {});
  });
  // Skips destructors and exit handlers of libraries, which a broken file may have confused.
  std::_Exit(code);
}
