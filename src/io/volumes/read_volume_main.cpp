// skde-read-volume: reads a volume on behalf of another program of skde, which starts it. See
// sandboxed_reader.hpp.

#include <cstdlib>

#include "io/volumes/sandboxed_reader.hpp"

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) return 2;
  // Skips destructors and exit handlers of libraries, which a broken file may have confused.
  std::_Exit(skde::io::answer_reader(argv[1], argv[2], argv[3], argc > 4 ? argv[4] : ""));
}
