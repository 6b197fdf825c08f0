#include "viewer/window/document_writer.hpp"

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "viewer/ui/method_document.hpp"

namespace skde::view {
namespace {

void write_method(const ViewFrame& frame, const ViewSession& session, glm::ivec2 size,
                  const std::string& path) {
  MethodLook look = method_look(session.scene, session.state);
  look.light = true;
  const SampleSlices* const slices = session.scene.method.slices();
  if (slices == nullptr)
    throw Error(ErrorKind::input, "there is no sample whose method could be drawn",
                {{}, "open a file of samples"});
  const MethodPicture picture = method_picture(*slices, {{0, 0}, size}, look, frame.scale());
  ui::write_method_document(path, picture, size, look, frame.scale());
}

}  // namespace

void write_document(ViewFrame& frame, ViewSession& session, glm::ivec2 size,
                    const std::string& path) {
  if (session.state.layout == ViewLayout::method) {
    frame.draw(session, size, nullptr, false);
    return write_method(frame, session, size, path);
  }
  const LayeredDocument document = frame.draw_document(session, size);
  io::OutputFile file(path);
  file.write(encode_document(document, path.ends_with(".pdf")));
  file.commit();
}

}  // namespace skde::view
