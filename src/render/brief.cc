// The files of a brief: for a person, for a language model, and the evidence.

#include "render/render.h"

namespace frx::render {
namespace {

std::string content_of(const answer::BriefFile& file) {
  if (!file.payload) return text_of(file.page, {});
  std::string text;
  answer::JsonObject::write_object(text, 0, nullptr, file.payload);
  return text + "\n";
}

bool can_write(const answer::Answer& answer) { return static_cast<bool>(answer.brief); }

// One behind the other, each below its name.
void write(const answer::Answer& answer, const Style&, const answer::TextSink& sink) {
  for (const auto& [name, content] : brief_files(answer)) sink(fmt::format("==> {} <==\n{}", name, content));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> brief_files(const answer::Answer& answer) {
  std::vector<std::pair<std::string, std::string>> files;
  if (!answer.brief) return files;
  for (const answer::BriefFile& file : answer.brief()) files.emplace_back(file.name, content_of(file));
  return files;
}

constinit const Renderer brief_renderer{"brief", "brief", can_write, write};

}  // namespace frx::render
