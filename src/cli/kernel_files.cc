#include "cli/kernel_files.h"

#include <filesystem>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/operator_commands.h"
#include "compose/full_profile_json.h"
#include "report/kernels/read_full_profile.h"
#include "report/kernels/work_model.h"

namespace frx::cli {
namespace {

constexpr std::uint64_t largest_profile_file = std::uint64_t{64} << 20;

bool is_plain(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

}  // namespace

std::string file_stem_for(std::string_view kernel, const std::vector<std::uint32_t>& dimensions) {
  constexpr std::size_t longest = 80, digits = 8;
  std::string stem;
  for (const char c : kernel) stem += is_plain(c) ? c : '_';
  if (stem != kernel || stem.size() > longest || stem.empty() || stem.front() == '-') {
    stem = fmt::format("kernel_{}", stem);
    stem.resize(std::min(stem.size(), longest));
    stem += "-" + sha256(kernel).substr(0, digits);
  }
  const std::string size = report::dimensions_text(dimensions);
  return size.empty() ? stem : stem + "-" + size;
}

Result<model::FullProfile> read_profile_file(const std::string& path) {
  TRY_ASSIGN(const std::string text, read_file(path, largest_profile_file));
  return report::read_full_profile(path, text);
}

Result<std::string> write_profile_file(const std::string& path, const model::FullProfile& profile) {
  std::string file = path;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    file = (std::filesystem::path(path) / (file_stem_for(profile.kernel.name.value_or("kernel"), profile.kernel.dimensions) + ".json"))
               .string();
  TRY(write_json_file(file, [&](answer::JsonObject& out) { compose::put_full_profile(out, profile); }));
  return file;
}

std::string baseline_path(std::string_view stem) { return fmt::format("{}/{}.json", baseline_folder, stem); }

}  // namespace frx::cli
