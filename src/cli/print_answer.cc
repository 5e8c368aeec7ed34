#include "cli/print_answer.h"

#include <filesystem>

#include "base/files.h"
#include "render/render.h"

namespace frx::cli {

std::vector<std::string> answer_formats() {
  std::vector<std::string> names;
  for (const render::Renderer* one : render::renderers()) names.emplace_back(one->name);
  return names;
}

Result<> print_answer(Io& io, const answer::Answer& answer, std::string_view format, answer::Detail detail) {
  io.kept.insert(io.kept.end(), answer.kept.begin(), answer.kept.end());
  return render::render(answer, format, {io.width, io.colour, detail}, [&io](std::string_view text) { io.out.write(text); });
}

Result<> write_brief(const answer::Answer& answer, const std::string& folder) {
  for (const auto& [name, content] : render::brief_files(answer)) TRY(write_file(std::filesystem::path(folder) / name, content));
  return {};
}

void print_prompt(Io& io, const answer::Answer& answer) {
  for (const auto& [name, content] : render::brief_files(answer)) {
    if (name == "frx_llm_prompt.txt") io.out.write(content);
  }
}

}  // namespace frx::cli
