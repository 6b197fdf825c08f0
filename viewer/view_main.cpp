#include <cstdio>

#include "viewer/headless_context.hpp"

int main() {
  const skde::view::HeadlessContext context;
  std::puts(skde::view::renderer_name().c_str());
  return 0;
}
