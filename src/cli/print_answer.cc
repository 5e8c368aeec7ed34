#include "cli/print_answer.h"

#include <filesystem>

#include "base/files.h"
#include "base/safe_text.h"
#include "base/temporary_directory.h"
#include "cli/history_commands.h"
#include "render/render.h"

namespace frx::cli {

namespace {

// The browser reads the file when this program has ended, so it stays.
Result<> open_page(Io& io, const answer::Answer& answer, std::string_view format) {
  std::string page;
  TRY(render::render(answer, format, {io.width, false, answer::Detail::full}, [&page](std::string_view text) { page += text; }));
  TRY_ASSIGN(TemporaryDirectory folder, TemporaryDirectory::make(io.environment("TMPDIR").value_or("/tmp")));
  const std::string path = folder.file("answer.html");
  TRY(write_file(path, page));
  folder.keep();
  io.out.write(fmt::format("{}\n", printable(path)));
  const std::optional<std::string> opener = io.host->program("xdg-open"), apart = io.host->program("setsid");
  if (!opener) {
    io.err.write("frx: there is no xdg-open that would show it in a browser\n");
    return {};
  }
  // A browser that is started goes on when this program ends.
  capture::ChildCommand command;
  command.argv = {*opener, path};
  command.out = command.err = capture::Output::discard;
  if (apart) command.argv.insert(command.argv.begin(), {*apart, "--fork"});
  if (const Result<capture::Exit> ran = io.host->run(command); !ran || !ran->ok())
    io.err.write(fmt::format("frx: {} could not show it: {}\n", *opener, ran ? capture::describe(*ran) : ran.error().message));
  return {};
}

std::string address_of_pages(const Io& io) { return io.environment("FRX_PAGES").value_or(FRX_PAGES); }

Result<> write_answer(Io& io, const answer::Answer& answer, std::string_view format, answer::Detail detail) {
  // Its lines are commands on purpose, and it escapes what is in them.
  const bool is_commands = format == "github";
  if (is_commands) io.out.safety().run_by(BuildService::none);
  const render::Style style{io.width, io.colour, detail, address_of_pages(io)};
  Result<> done = render::render(answer, format, style, [&io](std::string_view text) { io.out.write(text); });
  if (is_commands) io.out.safety().run_by(build_service(io));
  if (done) return done;
  Error error = std::move(done).error();
  error.where = fmt::format("--format {}", format);
  return Failure{std::move(error)};
}

}  // namespace

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

void describe_open(Syntax& syntax, bool& open) {
  syntax.flag("--open", open, "with --format html: write the page to a temporary file, and show it in a browser");
}

Result<> open_if_asked(std::string_view command, bool open, std::string_view format, Io& io) {
  io.opens_page = open;
  if (open && format != "html") return fail(ErrorKind::usage, "{}: --open is for --format html, not for {}", command, format);
  return {};
}

Result<> print_answer(Io& io, const answer::Answer& answer, std::string_view format, answer::Detail detail) {
  io.kept.insert(io.kept.end(), answer.kept.begin(), answer.kept.end());
  TRY(io.opens_page ? open_page(io, answer, format) : write_answer(io, answer, format, detail));
  if (io.recording == Io::Recording::asked) return record_answer(io, answer);
  return {};
}

Result<std::string> rendered_for_file(const Io& io, const answer::Answer& answer, std::string_view format, answer::Detail detail) {
  std::string text;
  TRY(render::render(answer, format, {80, false, detail, address_of_pages(io)}, [&text](std::string_view part) { text += part; }));
  return text;
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
