#include "cli/print_answer.h"

#include <filesystem>

#include "base/files.h"
#include "base/safe_text.h"
#include "render/render.h"

namespace frx::cli {

std::vector<std::string> answer_formats() {
  std::vector<std::string> names;
  for (const render::Renderer* one : render::renderers()) names.emplace_back(one->name);
  return names;
}

std::vector<std::string> common_formats() {
  answer::Answer least;
  least.document = [](answer::Detail) { return answer::Document(); };
  least.payload = [](answer::JsonObject&) {};
  std::vector<std::string> names;
  for (const render::Renderer* one : render::renderers()) {
    if (one->can_write(least)) names.emplace_back(one->name);
  }
  return names;
}

Result<std::string> format_of(std::string_view command, bool json, const std::string& format) {
  if (!json) return format;
  if (format == "text" || format == "json") return std::string("json");
  return fail(ErrorKind::usage, "{}: --json and --format {} exclude each other", command, format);
}

Result<> print_answer(Io& io, const answer::Answer& answer, std::string_view format, answer::Detail detail) {
  io.kept.insert(io.kept.end(), answer.kept.begin(), answer.kept.end());
  // Its lines are commands on purpose, and it escapes what is in them.
  const bool is_commands = format == "github";
  if (is_commands) io.out.safety().run_by(BuildService::none);
  Result<> done = render::render(answer, format, {io.width, io.colour, detail}, [&io](std::string_view text) { io.out.write(text); });
  if (is_commands) io.out.safety().run_by(build_service(io));
  if (done) return done;
  Error error = std::move(done).error();
  error.where = fmt::format("--format {}", format);
  return Failure{std::move(error)};
}

Result<> write_brief(const answer::Answer& answer, const std::string& folder) {
  for (const auto& [name, content] : render::brief_files(answer)) TRY(write_file(std::filesystem::path(folder) / name, safe_text(content)));
  return {};
}

std::string prompt_of(const answer::Answer& answer) {
  for (auto& [name, content] : render::brief_files(answer)) {
    if (name == "frx_llm_prompt.txt") return content;
  }
  return {};
}

}  // namespace frx::cli
