// The PTX in tests/data/ptx is read to the last statement: what other compilers wrote and, where there is
// nvcc, what it makes of some of our CUDA. tools/validate_ptx does the same on a large scale.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <set>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/host.h"
#include "ingest/ptx/categories.h"
#include "ingest/ptx/read_module.h"
#include "knowledge/library.h"
#include "meta/repository.h"

namespace frx::testing {
namespace {

namespace ptx = model::ptx;

ptx::Module read(const fs::path& file) {
  static const knowledge::Library library = knowledge::Library::builtin();
  static const ingest::ptx::InstructionSet instructions = ingest::ptx::InstructionSet::load(library).value();
  ptx::Module module = ingest::ptx::read_module(file.filename().string(), content(file)).value();
  instructions.describe(module);
  return module;
}

// Names that operands may have: of variables, functions and aliases.
std::set<std::uint32_t> names_in(const ptx::Module& module) {
  std::set<std::uint32_t> names;
  for (const ptx::Variable& variable : module.variables) names.insert(variable.name);
  for (const ptx::Function& function : module.functions) names.insert(function.name);
  for (const auto& alias : module.aliases) names.insert(alias.name);
  return names;
}

void expect_all_is_understood(const fs::path& file) {
  SCOPED_TRACE(file.filename().string());
  const ptx::Module module = read(file);
  EXPECT_EQ(module.skipped_statements, 0u) << module.problems.front();
  EXPECT_TRUE(ingest::ptx::unknown_names(module).empty()) << ingest::ptx::unknown_names(module).front();
  EXPECT_FALSE(module.instructions.empty());
  // A register that was not seen in its declaration would be taken for the name of something.
  const std::set<std::uint32_t> names = names_in(module);
  for (const ptx::Operand& operand : module.operands) {
    if (operand.kind == ptx::Operand::symbol) EXPECT_TRUE(names.contains(operand.value)) << module.names[operand.value];
  }
}

TEST(PtxFiles, OfOtherCompilersAreReadToTheLastStatement) {
  const std::vector<fs::path> files = files_below("tests/data/ptx", ".ptx");
  EXPECT_GE(files.size(), 16u);
  for (const fs::path& file : files) expect_all_is_understood(file);
}

class PtxOfNvcc : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(PtxOfNvcc, IsReadToTheLastStatement) {
  const auto [source, architecture] = GetParam();
  const capture::Host& host = capture::this_machine();
  const std::optional<std::string> nvcc = host.program("nvcc");
  if (!nvcc) GTEST_SKIP() << "no nvcc";
  const TemporaryDirectory folder = TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")).value();
  const std::string to = folder.file(std::string(source) + ".ptx");
  capture::ChildCommand command;
  command.argv = {*nvcc,       "-ptx", "-std=c++17",
                  "-lineinfo", "-w",   "-arch=" + std::string(architecture),
                  "-o",        to,     (repository() / "tests/data/ptx" / source).string()};
  command.time_limit = std::chrono::seconds(60);
  const Result<capture::Exit> exit = host.run(command);
  if (!exit || !exit->ok()) GTEST_SKIP() << "this nvcc does not compile it: " << (exit ? exit->err : to_string(exit.error()));
  expect_all_is_understood(to);
}

// Those that need few headers.
INSTANTIATE_TEST_SUITE_P(OwnKernels, PtxOfNvcc,
                         ::testing::Values(std::pair("arithmetic.cu", "sm_80"), std::pair("control_flow.cu", "sm_75"),
                                           std::pair("tensor_cores_ampere.cu", "sm_80"), std::pair("wgmma.cu", "sm_90a")),
                         [](const auto& info) { return std::string(info.param.first, std::strlen(info.param.first) - 3); });

}  // namespace
}  // namespace frx::testing
