// ptx_accesses [--quiet|--json] FILE.ptx [X Y Z]: what the analysis of memory accesses says of a file, and how long it took.
//
// For people who work on it: without a shape of block the first plausible one of each function is taken.
// --quiet prints only the counts, --json one object per access, for tools/validate_coalescing.
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "derive/ptx/memory_access.h"
#include "ingest/ptx/categories.h"
#include "ingest/ptx/read_module.h"
#include "knowledge/library.h"

namespace {

namespace code = ::frx::model::ptx;
namespace ptx = ::frx::derive::ptx;

enum class Form { text, counts, json };

struct Totals {
  std::map<std::string, std::size_t> kinds;
  std::size_t functions = 0, instructions = 0, atoms = 0, forms = 0;
  double analysis = 0, tally = 0;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void show(const code::Module& module, const code::Function& function, const std::vector<ptx::MemoryAccess>& accesses) {
  fmt::print("{}\n", module.names[function.name]);
  for (const ptx::MemoryAccess& access : accesses) {
    const code::Instruction& instruction = module.instructions[access.instruction];
    const std::uint32_t line = instruction.place == code::none ? 0 : module.places[instruction.place].line;
    fmt::print("  {:4} {:5} {:24} {:15} d{} {}\n       {}\n", instruction.line, line, module.form_of(instruction).text,
               ptx::name_of(access.kind), access.loop_depth, access.formula, access.sentence);
    if (access.cost) {
      const ptx::AccessCost& cost = *access.cost;
      fmt::print("       ideal {} best {} typical {} worst {} warps {}{}\n", cost.ideal, cost.best, cost.typical, cost.worst, cost.warps,
                 cost.exact ? "" : " sampled");
    }
  }
}

void show_json(const code::Module& module, const code::Function& function, const std::vector<ptx::MemoryAccess>& accesses) {
  constexpr std::string_view types[] = {"load", "store", "atomic"};
  for (const ptx::MemoryAccess& access : accesses) {
    nlohmann::json json{{"function", module.names[function.name]},
                        {"line", module.instructions[access.instruction].line},
                        {"type", types[static_cast<std::size_t>(access.type)]},
                        {"space", code::name_of(access.space)},
                        {"bytes", access.bytes},
                        {"loop_depth", access.loop_depth},
                        {"cost", nullptr}};
    if (const auto& cost = access.cost) {
      json["cost"] = {
          {"ideal", cost->ideal}, {"best", cost->best}, {"typical", cost->typical}, {"worst", cost->worst}, {"exact", cost->exact}};
    }
    fmt::print("{}\n", json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  }
}

void analyse(const code::Module& module, const code::Function& function, ptx::Vocabulary& names, std::optional<ptx::BlockShape> shape,
             Form form, Totals& totals) {
  double start = now();
  names.enter(module, function);
  const ptx::FlowGraph graph = ptx::flow_graph(module, function);
  const ptx::Dominators tree = dominators(graph);
  const ptx::Loops loops = find_loops(graph, tree);
  const ptx::RegisterUses uses(module, function);
  const ptx::Liveness live = liveness(module, function, graph, uses);
  const ptx::Divergence differs = divergence(module, function, graph, uses, live);
  const ptx::MemoryAnalysis analysis(module, function, names, graph, tree, loops, uses, live, differs);
  totals.analysis += now() - start;
  start = now();
  ptx::LaunchFacts facts;
  facts.block = shape ? *shape : analysis.plausible_shapes().front();
  const std::vector<ptx::MemoryAccess> accesses = analysis.accesses(facts);
  totals.tally += now() - start;
  ++totals.functions;
  totals.instructions += function.instructions.size();
  totals.atoms += analysis.addresses().atoms.size();
  totals.forms += analysis.addresses().atoms.forms.form_count();
  for (const ptx::MemoryAccess& access : accesses) ++totals.kinds[std::string(ptx::name_of(access.kind))];
  if (form == Form::text) show(module, function, accesses);
  if (form == Form::json) show_json(module, function, accesses);
}

}  // namespace

int main(int count, char** arguments) {
  const auto is = [&](const char* option) { return count > 1 && std::strcmp(arguments[1], option) == 0; };
  const Form form = is("--quiet") ? Form::counts : is("--json") ? Form::json : Form::text;
  if (form != Form::text) ++arguments, --count;
  if (count != 2 && count != 5) return fmt::print(stderr, "usage: ptx_accesses [--quiet|--json] FILE.ptx [X Y Z]\n"), 2;
  std::stringstream text;
  text << std::ifstream(arguments[1]).rdbuf();
  const double start = now();
  auto module = ::frx::ingest::ptx::read_module(arguments[1], text.str());
  if (!module) return fmt::print(stderr, "{}\n", to_string(module.error())), 1;
  ::frx::ingest::ptx::InstructionSet::load(::frx::knowledge::Library::builtin()).value().describe(*module);
  const double read = now() - start;
  std::optional<ptx::BlockShape> shape;
  const auto number = [&](int i) { return static_cast<std::uint32_t>(std::stoul(arguments[i])); };
  if (count == 5) shape = ptx::BlockShape{number(2), number(3), number(4)};
  Totals totals;
  ptx::Vocabulary names(*module);
  for (const code::Function& function : module->functions) {
    if (function.instructions.size() > 0) analyse(*module, function, names, shape, form, totals);
  }
  if (form == Form::json) return 0;
  fmt::print("{} functions, {} instructions, {} symbols, {} forms; read {:.2f} s, analysis {:.2f} s, costs {:.2f} s\n", totals.functions,
             totals.instructions, totals.atoms, totals.forms, read, totals.analysis, totals.tally);
  for (const auto& [kind, n] : totals.kinds) fmt::print("{:15} {}\n", kind, n);
  return 0;
}
