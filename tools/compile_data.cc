// Build-time helper: expressions of data/ -> constant tables.
//
//   frx_compile_tool OUT.cc
//
// It reads the catalogues of the embedded data as frx does with --data, so that an error in them ends the build, and writes down what it
// read of their expressions (knowledge/compiled.h).

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/files.h"
#include "knowledge/compiled.h"
#include "knowledge/embedded.h"
#include "knowledge/labels.h"

namespace frx::knowledge {

// What this program writes.
const CompiledData& compiled_data() {
  static const CompiledData none;
  return none;
}

namespace {

class Writer {
 public:
  void add(const Value& text, const Expression& expression) {
    if (!expression.empty()) all_.emplace(place_of(text), Compiled{expression, text.text()});
  }
  void add_formula(const FormulaOfMetric& formula, const Value& text) {
    formulas_.push_back({formula.metric.index, formula.number, place_of(text)});
  }

  std::string source() {
    for (const auto& [place, compiled] : all_) write(place, compiled);
    std::string formulas;
    for (const Formula& one : formulas_) {
      formulas += fmt::format("  {{{},{},{}}},\n", one.metric, one.number, std::distance(all_.begin(), all_.find(one.place)));
    }
    return fmt::format(
        "// Generated from data/ by tools/compile_data.cc.\n#include \"knowledge/compiled.h\"\n\n"
        "namespace frx::knowledge {{\nnamespace {{\n\nusing Op = Expression::Op;\n\n"
        "constexpr Expression::Step steps[] = {{\n{}}};\n\nconstexpr std::uint32_t slots[] = {{\n{}}};\n\nconstexpr char texts[] = {};\n\n"
        "constexpr CompiledExpression expressions[] = {{\n{}}};\n\nconstexpr CompiledFormula formulas[] = {{\n{}}};\n\n"
        "constexpr CompiledData data = {{expressions, steps, slots, {{texts, sizeof texts - 1}}, formulas}};\n\n}}  // namespace\n\n"
        "const CompiledData& compiled_data() {{ return data; }}\n\n}}  // namespace frx::knowledge\n",
        steps_, slots_, texts_.empty() ? "\"\"" : texts_, expressions_, formulas);
  }

 private:
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // file and node
  struct Compiled {
    Expression expression;
    std::string_view text;  // of the node
  };
  struct Formula {
    std::uint16_t metric;
    std::uint32_t number;
    Place place;
  };

  static Place place_of(const Value& text) { return {static_cast<std::uint32_t>(text.document() - embedded_files().data()), text.index()}; }

  void write(const Place& place, const Compiled& compiled) {
    const Expression& expression = compiled.expression;
    const std::string_view text = expression.text() == compiled.text ? std::string_view() : expression.text();
    expressions_ += fmt::format("  {{{},{}, {},{}, {},{}, {},{}, {}, {}, {{{{{}}}}}}},\n", place.first, place.second, step_count_,
                                expression.steps().size(), slot_count_, expression.slots().size(), character_count_, text.size(),
                                expression.depth(), expression.is_truth(), fmt::join(expression.dimension().exponents, ","));
    for (const Expression::Step& step : expression.steps()) {
      steps_ += fmt::format("  {{Op({}),{},{:a}}},\n", static_cast<int>(step.op), step.argument, step.value);
    }
    for (const std::uint32_t slot : expression.slots()) slots_ += fmt::format("  {},\n", slot);
    if (!text.empty()) texts_ += fmt::format("\n  R\"expression({})expression\"", text);
    step_count_ += expression.steps().size();
    slot_count_ += expression.slots().size();
    character_count_ += text.size();
  }

  std::map<Place, Compiled> all_;
  std::vector<Formula> formulas_;
  std::string expressions_, steps_, slots_, texts_;
  std::size_t step_count_ = 0, slot_count_ = 0, character_count_ = 0;
};

void add_formulas(const MetricCatalogue& metrics, Writer& out) {
  for (const FormulaOfMetric& one : metrics.formulas_in_order()) {
    const Value text = metrics.formula_texts(one.metric).item(one.number);
    out.add(text, metrics.formulas_of(one.metric)[one.number]);
    out.add_formula(one, text);
  }
}

void add_labels(const Library& library, const LabelCatalogue& labels, Writer& out) {
  for (const Value& root : library.folder("bottlenecks")) {
    const Label& label = *labels.with_id(root["id"].text());
    out.add(root["when"], label.when);
    out.add(root["score"], label.score);
    out.add(root["time_at_stake"], label.time_at_stake);
  }
}

Result<> run(int argc, char** argv) {
  if (argc != 2) return fail(ErrorKind::usage, "usage: frx_compile_tool OUT.cc");
  const Library library = Library::builtin();
  TRY_ASSIGN(const MetricCatalogue metrics, MetricCatalogue::load_checked(library));
  TRY_ASSIGN(const KernelClasses classes, KernelClasses::load(library));
  TRY_ASSIGN(const LabelCatalogue labels, LabelCatalogue::load(library, metrics, classes));
  Writer out;
  add_formulas(metrics, out);
  add_labels(library, labels, out);
  return write_file(argv[1], out.source());
}

}  // namespace
}  // namespace frx::knowledge

int main(int argc, char** argv) {
  if (const frx::Result<> done = frx::knowledge::run(argc, argv); !done) {
    std::fprintf(stderr, "%s\n", frx::to_string(done.error()).c_str());
    return 1;
  }
  return 0;
}
