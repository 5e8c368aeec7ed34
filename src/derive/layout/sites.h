// Where in the program an operator was called from, as far as a trace says it.
//
// One site is one place to change: the same line of code in every layer of a model is one, whatever the numbers of the modules are. Without
// Python frames, calls are distinguished by the operators around and beside them and by the shapes of their inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/interner.h"
#include "derive/layout/layout_trace.h"

namespace frx::derive::layout {

struct Site {
  std::string module;         // "Model.Encoder.Attention", classes of the modules around it, the outermost first; "": not recorded
  std::string first_module;   // "Model_0.Encoder_0.Attention_3": the first of those modules, as recorded
  std::uint64_t modules = 0;  // how many different ones there are
  std::string function;       // "forward"; "": not recorded, as file and line
  std::string file;           // "model.py"
  std::uint32_t line = 0;     // of the call, where `is_line_of_call`; or else the one in which `function` begins
  std::string op_path;        // "aten::linear > aten::reshape"
  std::string beside;         // "between aten::transpose and aten::view"; where there are no frames
  std::string shapes;         // of the inputs: likewise
  bool backward = false;      // it is of the backward pass; the place is that of the forward operator
  bool is_line_of_call = false;

  // "model.py:47 in forward", "model.py(42): forward (backward)", or else the module, or else the path of operators.
  std::string text() const;
};

// Where ranges around the questions stand: rows of the timeline; `module_around` by row, the others by question.
struct SitePlaces {
  std::vector<trace::ProgramPlace> lines;
  std::vector<std::uint32_t> modules, module_around;

  // Of a question; nothing where none were recorded.
  trace::ProgramPlace line_at(std::uint32_t question) const { return lines.empty() ? trace::ProgramPlace() : lines[question]; }
  std::uint32_t module_at(std::uint32_t question) const { return modules.empty() ? none : modules[question]; }
};

// Finds sites, equal ones once. The nodes of all questions are given at the beginning, since ranges are searched for all of them together.
class Sites {
 public:
  // O((nodes + ranges) log(nodes + ranges)).
  // `trace` outlives it.
  Sites(const LayoutTrace& trace, std::vector<std::uint32_t> nodes);
  // Of the sites of these nodes, which were given: lets them alone tell what describes a site and does not tell it from others, that is the
  // number of its modules, the first of them, and its neighbours.
  void describe_by(std::vector<std::uint32_t> nodes);

  // Of a node that was given: the index of its site.
  std::uint32_t of(std::uint32_t node) const { return found_of(node).site; }
  // What may be one call of the program: the line of one layer; without Python frames, the same path of operators in one module, whatever
  // stands after it.
  std::uint32_t place_of(std::uint32_t node) const { return found_of(node).place; }
  const Site& operator[](std::uint32_t site) const { return sites_[site]; }
  std::size_t size() const { return sites_.size(); }

 private:
  // A question and its answer.
  struct Found {
    std::uint32_t site = 0, place = 0, module = none;  // module: a number of module_texts_
    bool backward = false, has_place = true;
  };
  const Found& found_of(std::uint32_t node) const { return found_[question_of_[node]]; }
  Site described(std::uint32_t node) const;

  const LayoutTrace& trace_;
  SitePlaces places_;
  std::vector<std::uint32_t> question_of_;  // by node; none: it was not given
  std::vector<Found> found_;                // by question
  Interner module_texts_;                   // paths of modules, as recorded
  std::vector<Site> sites_;
};

}  // namespace frx::derive::layout
