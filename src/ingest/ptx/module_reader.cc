#include "ingest/ptx/module_reader.h"

#include <charconv>
#include <utility>

#include "ingest/ptx/declarations.h"

namespace frx::ingest::ptx {

void ModuleReader::read(std::size_t limit) {
  while (in_.lexer.now().kind != Token::end && position().at < limit) {
    if (read_item()) continue;
    in_.skip_statement();
    if (in_.lexer.now().is('{') || in_.lexer.now().is('}')) in_.lexer.skip();
  }
}

bool ModuleReader::read_item() {
  if (in_.lexer.skip_if(';')) return true;
  const model::Linkage linkage = read_linkage(in_);
  if (at_declaration(in_)) return read_variable(linkage);
  const std::string_view name = in_.lexer.now().kind == Token::directive ? in_.lexer.now().spelling : "";
  if (name == ".entry" || name == ".func") return functions_.read(linkage), true;
  if (read_directive(name)) return true;
  in_.expected("a directive of a module");
  if (!in_.at_function()) return false;
  in_.lexer.skip();  // so that something is consumed
  return false;
}

// Also false for text that is not a directive of a module.
bool ModuleReader::read_directive(std::string_view name) {
  using Read = bool (ModuleReader::*)();
  constexpr std::pair<std::string_view, Read> known[] = {
      {".version", &ModuleReader::read_version},           {".target", &ModuleReader::read_targets},
      {".address_size", &ModuleReader::read_address_size}, {".file", &ModuleReader::read_file},
      {".section", &ModuleReader::read_section},           {".alias", &ModuleReader::read_alias},
      {".pragma", &ModuleReader::skip_to_semicolon}};
  for (const auto& [directive, read] : known) {
    if (directive != name) continue;
    in_.lexer.skip();
    return (this->*read)();
  }
  if (name != ".loc") return false;
  in_.lexer.skip();
  return places_.read();
}

// .version 9.0; of several modules in one file the first counts
bool ModuleReader::read_version() {
  const std::string_view text = in_.lexer.now().spelling;
  model::Version version;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  const bool point = major.ec == std::errc() && major.ptr != end && *major.ptr == '.';
  if (!point || std::from_chars(major.ptr + 1, end, version.minor).ptr != end) return in_.expected("a version such as 8.0");
  if (in_.module.version.major == 0) in_.module.version = version;
  in_.lexer.skip();
  return true;
}

// .target sm_90a, debug
bool ModuleReader::read_targets() {
  const bool first = in_.module.targets.empty();
  do {
    std::string_view name;
    if (!in_.take_name(name, "a target such as sm_90")) return false;
    if (first) in_.module.targets.emplace_back(name);
  } while (in_.lexer.skip_if(','));
  return true;
}

bool ModuleReader::read_address_size() {
  std::uint32_t bits = 0;
  if (in_.lexer.now().spelling != "32" && in_.lexer.now().spelling != "64") return in_.expected("32 or 64");
  if (!in_.take_number(bits)) return false;
  in_.module.address_size = static_cast<int>(bits);
  return true;
}

bool ModuleReader::read_variable(model::Linkage linkage) {
  auto added = static_cast<std::uint32_t>(in_.module.variables.size());
  const bool understood = read_declaration(in_, nullptr, linkage);
  for (; added < in_.module.variables.size(); ++added) in_.module.globals.push_back(added);
  return understood;
}

// .file 1 "kernel.cu", 1700000000, 4096: a time and a size may follow; LLVM writes .file 1 "/folder" "kernel.cu"
bool ModuleReader::read_file() {
  model::Module::File file;
  if (!in_.take_number(file.number)) return false;
  if (in_.lexer.now().kind != Token::text) return in_.expected("the name of a file");
  const std::string_view name = in_.lexer.take().spelling;
  std::string path(name.substr(1, name.size() - 2));
  if (in_.lexer.now().kind == Token::text) {
    const std::string_view below = in_.lexer.take().spelling;
    path += "/" + std::string(below.substr(1, below.size() - 2));
  }
  file.path = std::move(path);
  in_.module.files.push_back(std::move(file));
  while (in_.lexer.skip_if(',')) {
    if (in_.lexer.now().kind != Token::number) return in_.expected("a number");
    in_.lexer.skip();
  }
  return true;
}

// .section .debug_info { ... }
bool ModuleReader::read_section() {
  const Token name = in_.lexer.now();
  if (name.kind != Token::directive && name.kind != Token::word) return in_.expected("the name of a section");
  in_.lexer.skip();
  if (!in_.lexer.now().is('{')) return in_.expected("'{'");
  const std::string_view content = in_.lexer.skip_region();
  in_.module.sections.push_back({std::string(name.spelling), content.size()});
  if (name.spelling == ".debug_str") places_.read_names(content);
  return true;
}

// .alias name, of;
bool ModuleReader::read_alias() {
  std::string_view name, of;
  if (!in_.take_name(name, "a name") || !in_.take(',') || !in_.take_name(of, "a name")) return false;
  in_.module.aliases.push_back({in_.name(name), in_.name(of)});
  return in_.take(';');
}

bool ModuleReader::skip_to_semicolon() {
  while (in_.lexer.now().kind == Token::text || in_.lexer.now().is(',')) in_.lexer.skip();
  return in_.take(';');
}

}  // namespace frx::ingest::ptx
