// What `ptxas -v` printed, among the other lines of a build. Whatever stands in the text, a function has a name that
// stands in it too, is told once for an architecture, and no number comes from nowhere.
#include "ingest/ptxas_log.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::fuzz::require;
  const frx::fuzz::ExactInput input(data, size);
  const std::string_view text = input.text();
  const std::vector<frx::model::PtxasFunction> functions = frx::ingest::read_ptxas_log(text);
  require(functions.size() <= static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
  const bool has_used = text.find(": Used ") != text.npos, has_stack = text.find(" bytes stack frame") != text.npos;
  std::set<std::pair<std::string, std::string>> seen;
  for (const frx::model::PtxasFunction& function : functions) {
    require(seen.emplace(function.name, function.architecture).second);
    require(text.find(function.name) != text.npos && text.find(function.architecture) != text.npos);
    require(function.is_kernel || !function.registers);
    require(has_used || (!function.registers && !function.barriers && !function.shared_bytes));
    require(has_stack || (!function.stack_bytes && !function.spill_store_bytes && !function.spill_load_bytes));
  }
  return 0;
}
