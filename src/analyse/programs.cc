#include "analyse/programs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>

#include "base/text.h"

namespace frx::analyse {
namespace {

// What is compiled of one folder.
struct Program {
  std::string folder;
  std::vector<std::string> compiled;
};

// Programs with .cu files, by the number of these; a .cu file that another file includes is compiled with that one.
std::vector<Program> programs_in(std::span<const Input> inputs, std::span<const std::string> folders,
                                 const ingest::cuda::Headers& includes) {
  std::map<std::string, std::vector<std::string>> by_folder;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto number = includes.number(inputs[i].source.path());
    if (number && is_compiled_alone(inputs[i]) && includes.nodes()[*number].included_by.empty())
      by_folder[folders[i]].push_back(inputs[i].source.path());
  }
  std::vector<Program> programs;
  for (auto& [folder, compiled] : by_folder) programs.push_back({folder, std::move(compiled)});
  std::ranges::stable_sort(programs, std::ranges::greater(), [](const Program& program) { return program.compiled.size(); });
  return programs;
}

}  // namespace

bool is_compiled_alone(const Input& input) { return to_lower(input.source.path()).ends_with(".cu"); }

std::vector<std::string> program_folders(std::span<const Input> inputs, const ingest::cuda::Headers* includes) {
  std::vector<std::string> own;
  for (const Input& input : inputs) own.push_back(std::filesystem::path(input.source.name()).parent_path().string());
  if (!includes || std::ranges::adjacent_find(own, std::ranges::not_equal_to()) == own.end()) return own;
  std::unordered_map<std::uint32_t, std::size_t> input_of;  // by number of the file
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto number = includes->number(inputs[i].source.path());
    if (number && inputs[i].kind() == ingest::Kind::cuda) input_of.emplace(*number, i);
  }
  std::vector<std::string> all = own;
  std::vector<bool> is_settled(inputs.size());
  for (const Program& program : programs_in(inputs, own, *includes)) {
    for (const std::uint32_t number : includes->included_by(program.compiled)) {
      const auto at = input_of.find(number);
      if (at == input_of.end()) continue;
      const bool is_own = own[at->second] == program.folder;
      if (is_own || !is_settled[at->second]) all[at->second] = program.folder;
      is_settled[at->second] = true;
    }
  }
  return all;
}

}  // namespace frx::analyse
