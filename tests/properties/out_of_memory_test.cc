// Memory may run out at any block that is asked for. Whatever is read then, the program says so and ends as documented: with an error of
// one line, not with an abort, and the next run is as if nothing had happened.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <random>

#include "base/memory_budget.h"
#include "cli/run.h"
#include "cli/terminate.h"
#include "cli/test_io.h"

namespace frx {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int code = 0;
  std::string out, err;
  std::uint64_t blocks = 0;  // that the first thread asked for
};

// `fails_at`: the block that is refused; 0: none.
Ended run_with(const std::vector<std::string>& args, std::uint64_t fails_at) {
  cli::StringSink out, err;
  cli::Io io{out, err};
  // No compiler is started: how long it ran when it is stopped differs from run to run, and is told.
  io.environment = [](std::string_view name) { return name == "FRX_WITH_PTX" ? std::optional<std::string>("no") : std::nullopt; };
  Ended ended;
  const std::uint64_t before = MemoryBudget::blocks();
  MemoryBudget::fail_at(fails_at);
  ended.code = cli::run(args, io);
  MemoryBudget::fail_at(0);
  ended.blocks = MemoryBudget::blocks() - before;
  ended.out = out.text();
  ended.err = err.text();
  return ended;
}

std::vector<std::string> inputs_of_every_kind() {
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(FRX_REPOSITORY "/tests/fuzz/corpus")) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

bool has_own_blocks() {
  const std::uint64_t before = MemoryBudget::blocks();
  const std::string block(1000, 'x');
  return MemoryBudget::blocks() > before;
}

enum Outcome : int { said = 1, same = 10, wrong = 11 };

// In a process of its own, since a destructor of a library may have to end it.
int outcome_of(const std::vector<std::string>& args, const Ended& whole, std::uint64_t fails_at) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::set_terminate(cli::terminate);
    const Ended cut = run_with(args, fails_at);
    const bool is_same =
        cut.code == whole.code && cut.out == whole.out && cut.err == whole.err;  // helped by another thread, or refused while it unwound
    const bool is_said = cut.code == 1 && cut.err.find("more memory") != cut.err.npos;
    const bool is_as_before = run_with(args, 0).out == whole.out;
    ::_exit(!is_as_before ? wrong : is_same ? same : is_said ? said : wrong);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(OutOfMemory, IsAnErrorWhereverItHappens) {
  if (!has_own_blocks()) GTEST_SKIP() << "the sanitizer's operator new cannot be made to fail";
  std::mt19937_64 engine(1);
  int failed = 0;
  const std::vector<std::vector<std::string>> commands = {
      {"analyze"}, {"analyze", "--json"}, {"analyze", "--format", "markdown"}, {"profile", "--ncu"}};
  for (const std::string& path : inputs_of_every_kind()) {
    std::vector<std::string> args = commands[engine() % commands.size()];
    args.push_back(path);
    const Ended whole = run_with(args, 0);
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t at = 1 + engine() % whole.blocks;
      const int outcome = outcome_of(args, whole, at);
      EXPECT_TRUE(outcome == said || outcome == same) << args[0] << ' ' << path << " at block " << at << ": " << outcome;
      failed += outcome == said;
    }
  }
  EXPECT_GT(failed, 700);
}

}  // namespace
}  // namespace frx
