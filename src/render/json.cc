// The documented object: {"mode": ..., "result": ...}, or the result alone.

#include "render/render.h"

namespace frx::render {
namespace {

bool can_write(const answer::Answer& answer) { return static_cast<bool>(answer.payload); }

void write(const answer::Answer& answer, const Style&, const answer::TextSink& sink) {
  std::string text;
  answer::JsonObject::write_object(text, 0, &sink, [&](answer::JsonObject& out) {
    if (answer.mode.empty()) return answer.payload(out);
    out.add("mode", answer.mode);
    out.object("result", answer.payload);
  });
  sink(text += '\n');
}

}  // namespace

constinit const Renderer json_renderer{"json", "result for programs", can_write, write};

}  // namespace frx::render
