// A kernel for tests, read and described, with what is derived from it.
#pragma once

#include <string>
#include <string_view>

#include "derive/ptx/divergence.h"
#include "derive/ptx/dominators.h"
#include "derive/ptx/flow_graph.h"
#include "derive/ptx/liveness.h"
#include "derive/ptx/loops.h"
#include "derive/ptx/register_uses.h"
#include "ingest/ptx/categories.h"
#include "ingest/ptx/testing.h"

namespace frx::derive::ptx::testing {

struct Derived {
  // `text` is a module; its last function counts.
  explicit Derived(const std::string& text)
      : module(described(text)),
        function(module.functions.back()),
        graph(flow_graph(module, function)),
        uses(module, function),
        live(liveness(module, function, graph, uses)) {}

  std::string_view opcode(std::uint32_t instruction) const { return module.form_of(module.instructions[instruction]).text; }
  Divergence diverges() const { return divergence(module, function, graph, uses, live); }

  // "yes" for a branch that may diverge, "no" for one that does not, in the order of the code.
  std::string branches() const {
    std::string text;
    for (const Branch& branch : diverges().branches) text += branch.may_diverge ? "yes " : "no ";
    return text;
  }
  // "1 2, 2, " for the successors of each block.
  std::string edges() const {
    std::string text;
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
      for (const std::uint32_t next : graph.successors[block]) text += std::to_string(next) + " ";
      text += graph.leaves[block] ? "end, " : ", ";
    }
    return text;
  }

  ::frx::model::ptx::Module module;
  ::frx::model::ptx::Function function;
  FlowGraph graph;
  RegisterUses uses;
  Liveness live;

 private:
  static ::frx::model::ptx::Module described(const std::string& text) {
    static const auto set = ingest::ptx::InstructionSet::load(knowledge::Library::builtin()).value();
    ::frx::model::ptx::Module read = ingest::ptx::testing::module_of(text);
    set.describe(read);
    EXPECT_EQ(ingest::ptx::unknown_names(read), std::vector<std::string>{});
    return read;
  }
};

inline Derived of_kernel(std::string_view body) { return Derived(ingest::ptx::testing::kernel(body)); }

}  // namespace frx::derive::ptx::testing
