// frx_case_runner [--rebase] FILE.case | FOLDER ...
//
// 0: everything as expected; 1: something differs; 77: every case was skipped; 2: a case is malformed.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/files.h"
#include "support/case_run.h"

namespace {

namespace fs = std::filesystem;
using frx::Result;

enum class Verdict { passed, failed, skipped, malformed, rewritten };

Result<Verdict> judge(const fs::path& path, bool rebase) {
  TRY_ASSIGN(const std::string text, frx::read_file(path));
  TRY_ASSIGN(const frx::testing::Case one, frx::testing::parse_case(path, text));
  TRY_ASSIGN(const frx::testing::Outcome outcome, frx::testing::run_case(one));
  if (!outcome.skipped.empty()) {
    std::printf("%s: skipped: %s\n", path.c_str(), outcome.skipped.c_str());
    return Verdict::skipped;
  }
  const frx::testing::Case expected = rebase && outcome.crashes.empty() ? frx::testing::rebased(one, outcome) : one;
  const std::string now = frx::testing::to_text(expected);
  const bool rewrite = rebase && now != text;
  if (rewrite) {
    TRY(frx::write_file(path, now));
    std::printf("%s: rewritten\n", path.c_str());
  }
  // A crash, a missing file or JSON that breaks its schema cannot be rebased away.
  const std::vector<std::string> said = frx::testing::complaints(expected, outcome);
  if (said.empty()) return rewrite ? Verdict::rewritten : Verdict::passed;
  std::printf("%s: %s\n", path.c_str(), one.summary.c_str());
  for (const std::string& complaint : said) std::printf("%s\n", complaint.c_str());
  if (!rebase) std::printf("\nIf the new output is right: ./dev rebase %s\n", path.c_str());
  return Verdict::failed;
}

std::vector<fs::path> cases_in(const fs::path& place) {
  if (!fs::is_directory(place)) return {place};
  std::vector<fs::path> cases;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place)) {
    if (entry.path().extension() == ".case") cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  bool rebase = false;
  std::vector<fs::path> cases;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--rebase") {
      rebase = true;
      continue;
    }
    for (fs::path& path : cases_in(argv[i])) cases.push_back(std::move(path));
  }
  if (cases.empty()) {
    std::fprintf(stderr, "usage: frx_case_runner [--rebase] FILE.case | FOLDER ...\n");
    return 2;
  }
  std::size_t count[5] = {};
  for (const fs::path& path : cases) {
    const Result<Verdict> verdict = judge(path, rebase);
    if (!verdict) std::printf("%s\n", frx::to_string(verdict.error()).c_str());
    ++count[static_cast<std::size_t>(verdict ? *verdict : Verdict::malformed)];
  }
  const auto [passed, failed, skipped, malformed, rewritten] = count;
  if (cases.size() > 1 || rebase) {
    std::printf("%zu as expected, %zu differ, %zu skipped, %zu malformed, %zu rewritten\n", passed, failed, skipped, malformed, rewritten);
  }
  if (malformed > 0) return 2;
  if (failed > 0) return 1;
  return skipped == cases.size() ? 77 : 0;
}
