// Which kernels of a compiler log use more registers than the budget in data/register_budget allows.

#include "analyse/analyzer.h"
#include "ingest/observation.h"

namespace frx::analyse {
namespace {

bool registers_takes(std::span<const Input> inputs) { return inputs.size() == 1 && inputs[0].kind() == ingest::Kind::compiler_log; }

std::vector<model::PtxasFunction> above(const model::CompilerLog& log, double budget) {
  std::vector<model::PtxasFunction> found;
  for (const model::PtxasFunction& function : log.functions) {
    if (function.is_kernel && function.registers && *function.registers > budget) found.push_back(function);
  }
  return found;
}

Result<AnyReport> analyse_registers(std::vector<Input>& inputs, Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  const std::optional<double> budget = known->library.file("data/register_budget/budget.yaml")["registers"].number();
  if (!budget) return fail(ErrorKind::malformed, "expected a number as 'registers'").at("data/register_budget/budget.yaml");
  TRY_ASSIGN(const ingest::Observation seen, ingest::observe(inputs[0].source, inputs[0].format, {known->metrics}));
  const auto& log = std::get<model::CompilerLog>(seen.model);
  answer::Answer answer{.what = "a compiler log", .mode = "registers"};
  answer.document = [found = above(log, *budget)](answer::Detail) {
    answer::Document page;
    page.title("FRX registers");
    page.section("Above the budget");
    for (const model::PtxasFunction& one : found) page.hanging("- ", fmt::format("{}: {} registers", one.name, *one.registers));
    return page;
  };
  return AnyReport(std::make_shared<const answer::Answer>(std::move(answer)));
}

}  // namespace

constinit const Analyzer registers_analyzer = {
    .id = "registers",
    .needs = "one compiler log",
    .gives = "the kernels above a budget of registers",
    .takes = registers_takes,
    .analyse = analyse_registers,
};

}  // namespace frx::analyse
