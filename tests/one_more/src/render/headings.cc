// The headings of an answer, one a line.

#include "render/render.h"

namespace frx::render {
namespace {

bool has_document(const answer::Answer& answer) { return static_cast<bool>(answer.document); }

void write_headings(const answer::Answer& answer, const Style&, const answer::TextSink& sink) {
  const answer::Document document = answer.document(answer::Detail::full);
  for (const answer::Block& block : document.blocks()) {
    if (const auto* section = std::get_if<answer::Section>(&block)) sink(section->heading + "\n");
  }
}

}  // namespace

constinit const Renderer headings_renderer{"headings", "document", has_document, write_headings};

}  // namespace frx::render
