#include "analyse/source_headers.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/folders.h"
#include "base/text.h"

namespace frx::analyse {
namespace {

namespace fs = std::filesystem;

constexpr int most_folders_above = 32;

// The one in a folder or above it, or in its folder `build`; "" where there is none.
std::string compile_commands_above(const std::string& folder) {
  std::error_code error;
  fs::path at = fs::absolute(folder, error).lexically_normal();
  for (int i = 0; i < most_folders_above && !error; ++i) {
    for (const fs::path& path : {at / "compile_commands.json", at / "build" / "compile_commands.json"}) {
      std::error_code ignored;
      if (fs::is_regular_file(path, ignored)) return path.string();
    }
    if (at == at.parent_path()) break;
    at = at.parent_path();
  }
  return "";
}

// Whether it may be opened; everything may where there are no roots.
bool is_in(const std::vector<std::string>& roots, const std::string& path) { return roots.empty() || lies_in(path, roots); }

// One JSON string after another; escapes other than of a quote and a backslash stay as they are.
std::vector<std::string> strings_in(std::string_view json) {
  std::vector<std::string> all;
  for (std::size_t at = json.find('"'); at != json.npos; at = json.find('"', at + 1)) {
    std::string text;
    for (++at; at < json.size() && json[at] != '"'; ++at) {
      if (json[at] == '\\' && at + 1 < json.size()) ++at;
      text += json[at];
    }
    all.push_back(std::move(text));
    if (at >= json.size()) break;
  }
  return all;
}

}  // namespace

std::vector<std::string> include_folders_in(std::string_view compile_commands) {
  std::vector<std::string> folders;
  std::set<std::string> seen;
  std::string directory;
  bool names_directory = false, names_folder = false;
  const auto add = [&](std::string_view name) {
    std::string folder = name.starts_with('/') || directory.empty() ? std::string(name) : directory + "/" + std::string(name);
    if (!name.empty() && seen.insert(folder).second) folders.push_back(std::move(folder));
  };
  for (const std::string& text : strings_in(compile_commands)) {
    if (names_directory) directory = text;
    names_directory = text == "directory";
    for (const std::string_view word : split(text, ' ')) {
      if (names_folder) {
        add(word);
        names_folder = false;
      } else if (word == "-I" || word == "-isystem") {
        names_folder = true;
      } else if (word.starts_with("-I")) {
        add(word.substr(2));
      }
    }
  }
  return folders;
}

Result<SourceHeaders> SourceHeaders::of(std::span<const Input> inputs, const BuildOptions& build) {
  SourceHeaders result;
  result.definitions_ = build.definitions;
  std::vector<std::string> files;
  std::set<std::string> folders;
  for (const Input& input : inputs) {
    const std::string& path = input.source.path();
    if (input.kind() != ingest::Kind::cuda || path.empty()) continue;
    files.push_back(path);
    const std::string parent = fs::path(path).parent_path().string();
    folders.insert(!input.folder.empty() ? input.folder : parent.empty() ? "." : parent);
  }
  if (files.empty()) return result;
  ingest::cuda::HeaderFolders where{{folders.begin(), folders.end()}, build.include_folders};
  std::string commands = build.compile_commands;
  if (commands.empty()) {
    commands = compile_commands_above(*folders.begin());
    if (!is_in(build.roots, commands)) commands.clear();
    const Result<std::string> text = commands.empty() ? Result<std::string>(std::string()) : read_file(commands);
    if (text) std::ranges::move(include_folders_in(*text), std::back_inserter(where.include));
  } else {
    TRY_ASSIGN(const std::string text, read_file(commands));
    std::ranges::move(include_folders_in(text), std::back_inserter(where.include));
  }
  // Headers are opened by their names in these folders: a link that leads out of the roots would be followed.
  const auto leads_out = [&](const std::string& folder) { return !link_out_of(folder, build.roots).empty(); };
  if (!build.roots.empty() && std::ranges::any_of(where.given, leads_out)) return result;
  std::erase_if(where.include,
                [&](const std::string& folder) { return !is_in(build.roots, folder) || (!build.roots.empty() && leads_out(folder)); });
  result.headers_ = std::make_shared<const ingest::cuda::Headers>(where, files);
  return result;
}

ingest::cuda::Surroundings SourceHeaders::around(const std::string& path) const {
  ingest::cuda::Surroundings around;
  around.definitions = definitions_;
  if (!headers_ || path.empty()) return around;
  auto macros = std::make_shared<ingest::cuda::HeaderMacros>(*headers_, path);
  around.names = &headers_->macro_names();
  around.macro = [macros](std::string_view name) { return macros->find(name); };
  return around;
}

}  // namespace frx::analyse
