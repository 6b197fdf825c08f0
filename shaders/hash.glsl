// Returns a pseudo-random number in [0, 1) for a pixel.
float hash(uvec2 pixel) {
  uint h = pixel.x * 0x9E3779B1u ^ pixel.y * 0x85EBCA77u;
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return float((h ^ (h >> 15)) >> 8) / 16777216.0;
}
