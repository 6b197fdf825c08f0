#include "io/points/splats/webp_image.hpp"

#include <webp/decode.h>
#include <webp/encode.h>

#include <memory>

#include "core/report/error.hpp"

namespace skde::io {
namespace {

const std::uint8_t* webp_data(std::string_view bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

int append_webp_bytes(const std::uint8_t* bytes, std::size_t count, const WebPPicture* picture) {
  static_cast<std::string*>(picture->custom_ptr)
      ->append(reinterpret_cast<const char*>(bytes), count);
  return 1;
}

}  // namespace

std::array<std::size_t, 2> webp_size(std::string_view bytes) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(webp_data(bytes), bytes.size(), &features) != VP8_STATUS_OK ||
      features.has_animation != 0)
    return {};
  return {static_cast<std::size_t>(features.width), static_cast<std::size_t>(features.height)};
}

RgbaImage decoded_webp(std::string_view bytes) {
  const auto [width, height] = webp_size(bytes);
  RgbaImage image{width, height, std::vector<std::uint8_t>(4 * width * height)};
  if (image.bytes.empty() ||
      WebPDecodeRGBAInto(webp_data(bytes), bytes.size(), image.bytes.data(), image.bytes.size(),
                         static_cast<int>(4 * width)) == nullptr)
    return {};
  return image;
}

std::string lossless_webp(const RgbaImage& image) {
  // Effort: more saves less than 1 % and takes several times as long (docs/tasks/splat_files.md).
  constexpr int kWebpMethod = 4;
  constexpr float kWebpEffort = 75;
  WebPConfig config;
  WebPPicture picture;
  if (WebPConfigInit(&config) == 0 || WebPPictureInit(&picture) == 0)
    throw Error(ErrorKind::resources, "libwebp is of another version than its headers",
                {{}, "install the version that this build was made with"});
  const std::unique_ptr<WebPPicture, void (*)(WebPPicture*)> freed(&picture, WebPPictureFree);
  config.lossless = 1;
  config.exact = 1;  // colours below alpha 0 are values, too
  config.method = kWebpMethod;
  config.quality = kWebpEffort;
  picture.use_argb = 1;
  picture.width = static_cast<int>(image.width);
  picture.height = static_cast<int>(image.height);
  std::string bytes;
  picture.writer = append_webp_bytes;
  picture.custom_ptr = &bytes;
  if (WebPPictureImportRGBA(&picture, image.bytes.data(), static_cast<int>(4 * image.width)) == 0 ||
      WebPEncode(&config, &picture) == 0)
    throw Error(ErrorKind::resources, "there is not enough memory to encode an image",
                {{}, "write fewer splats"});
  return bytes;
}

}  // namespace skde::io
