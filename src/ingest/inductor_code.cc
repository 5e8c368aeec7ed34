#include "ingest/inductor_code.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"

namespace frx::ingest {
namespace {

constexpr std::size_t most_files = 10'000;
constexpr std::uint64_t largest_file = std::uint64_t{16} << 20;

// "[aten.add, aten.relu.default, prims.convert_element_type]": overloads are not named, prims are no operators.
std::vector<std::string> operators_in(std::string_view list) {
  std::vector<std::string> operators;
  for (std::string_view word : split(list, ',')) {
    word = trim(word);
    const std::size_t dot = word.find('.');
    if (dot == word.npos || dot == 0) continue;
    const std::string_view space = word.substr(0, dot);
    std::string_view name = word.substr(dot + 1);
    name = name.substr(0, name.find('.'));
    if (space == "prims" || space == "torch" || name.empty()) continue;
    std::string made = std::string(space) + "::" + std::string(name);
    if (std::ranges::find(operators, made) == operators.end()) operators.push_back(std::move(made));
  }
  return operators;
}

// What stands between a comment and its call without ending it.
bool is_between(std::string_view line) {
  return line.empty() || line.starts_with('#') || line.find("get_raw_stream(") != line.npos || line.starts_with("with torch.cuda.");
}

}  // namespace

void InductorCode::take(std::string_view text) {
  constexpr std::string_view mark = "Original ATen: [";
  bool is_pending = false;
  std::vector<std::string> pending;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    if (const std::size_t at = line.find(mark); line.starts_with('#') && at != line.npos) {
      const std::string_view rest = line.substr(at + mark.size());
      pending = operators_in(rest.substr(0, rest.find(']')));
      is_pending = true;
      continue;
    }
    if (const std::size_t run = line.find(".run("); run != line.npos && run > 0 && is_pending) {
      const auto [known, is_new] = kernels.try_emplace(std::string(line.substr(0, run)), InductorKernel{pending, false});
      if (!is_new && known->second.operators != pending) known->second.is_ambiguous = true;
      continue;  // one comment may stand for several kernels
    }
    if (!is_between(line)) is_pending = false;
  }
}

Result<InductorCode> read_inductor_code(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> paths;
  for (auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
       !error && at != fs::recursive_directory_iterator() && paths.size() < most_files; at.increment(error)) {
    std::error_code ignored;
    if (at->path().extension() == ".py" && at->is_regular_file(ignored)) paths.push_back(at->path().string());
  }
  if (error) return fail(ErrorKind::unreadable, "{}", error.message()).at(folder);
  std::ranges::sort(paths);
  InductorCode code;
  for (const std::string& path : paths) {
    const Result<std::string> text = read_file(path, largest_file);
    if (text) code.take(*text);
  }
  return code;
}

}  // namespace frx::ingest
