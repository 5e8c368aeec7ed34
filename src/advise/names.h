// The names for conditions of rules and cards, by the subject of the diagnosis: metrics or facts, thresholds, states of labels, and the
// named expressions of data/recommendations/signals.yaml.
//
// label.register_spills          it holds, was ruled out, or is inconclusive
//   label.register_spills.score    0 to 1, while it holds
//   kernel.matrix, program.pytorch  the class of the kernel's name, of any kernel of the run
//
// A name that exists in another domain only (a signal of runs, used for a kernel) is unknown, so that a card may serve several; a name that
// exists in none is an error with file and line.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/circumstances.h"
#include "base/result.h"
#include "knowledge/code_facts.h"
#include "knowledge/expression.h"
#include "knowledge/facts.h"
#include "knowledge/knowledge.h"
#include "knowledge/thresholds.h"

namespace frx::advise {

// The ranges of the numbers of names. Below these: the metric, the run fact, the code fact.
namespace slots {
inline constexpr std::uint32_t kernel_class = knowledge::LabelCatalogue::first_class_slot;
inline constexpr std::uint32_t program_class = kernel_class + 64;
inline constexpr std::uint32_t fact = 1u << 17;          // index into kernel_fact_names or run_fact_names
inline constexpr std::uint32_t threshold = 1u << 18;     // as Thresholds::of_slot
inline constexpr std::uint32_t label = 1u << 19;         // 2 x index into Names::labels: state; 1 more: score
inline constexpr std::uint32_t other_domain = 1u << 20;  // exists in another domain only
}  // namespace slots

// Facts of data/facts/kernel.yaml and program.yaml that frx determines: kernel_circumstances.cc, run_circumstances.cc.
std::span<const std::string_view> fact_names(Domain domain);

class Names {
 public:
  // A named expression. The texts live in the library of `knowledge`, which must outlive the names.
  struct Signal {
    std::string_view id, words;
    bool is_documented_only = false;  // no rule of ours has to use it
    Value is;
  };

  static Result<Names> load(const knowledge::Knowledge& knowledge);

  // A condition, or a number, over these names. Errors name file and line, of the signal where that is wrong.
  Result<knowledge::Expression> condition(Domain domain, const Value& text) const;
  Result<knowledge::Expression> expression(Domain domain, std::string_view text, const std::string& where) const;
  // The same, read when it is first asked for and kept: a diagnosis needs few of all conditions. Empty for "". The text stays where it is
  // and is one that expression() accepts.
  const knowledge::Expression& kept(Domain domain, std::string_view text) const;
  std::optional<knowledge::Operand> find(Domain domain, std::string_view name) const;

  // The domain of a label; nullopt when there is no such label.
  std::optional<Domain> domain_of(std::string_view label) const;
  std::span<const std::string_view> labels(Domain domain) const { return labels_[index(domain)]; }
  std::span<const Signal> signals(Domain domain) const { return signals_[index(domain)]; }
  const knowledge::Thresholds& thresholds() const { return thresholds_; }
  // Definitions of facts beyond metrics, run facts and code facts, as fact_names(domain).
  std::span<const knowledge::FactDefinition> facts(Domain domain) const { return facts_[index(domain)]; }
  // Reads every named expression, also unused ones.
  Result<> check() const;

 private:
  struct Compiled {
    bool is_open = false;  // it is being read: a reference to it is a cycle
    knowledge::Expression expression;
  };
  static std::size_t index(Domain domain) { return static_cast<std::size_t>(domain); }
  Result<> read_signals(const knowledge::Library& library);
  Result<> read_labels(const knowledge::Knowledge& knowledge);
  Result<> read_facts(const knowledge::Library& library);
  const knowledge::CodeFactCatalogue& code_facts() const;
  std::optional<knowledge::Operand> label_state(Domain domain, std::string_view name) const;
  std::optional<knowledge::Operand> measured(Domain domain, std::string_view name) const;
  std::optional<knowledge::Operand> known_here(Domain domain, std::string_view name) const;
  const knowledge::Expression* meaning(Domain domain, std::string_view signal) const;
  Result<knowledge::Expression> read(Domain domain, std::string_view text, const std::string& where) const;

  const knowledge::Knowledge* knowledge_ = nullptr;
  knowledge::Thresholds thresholds_;
  std::array<std::vector<std::string_view>, domain_count> labels_;
  std::array<std::vector<Signal>, domain_count> signals_;                                    // in the order of the file
  std::array<std::vector<std::pair<std::string_view, std::size_t>>, domain_count> by_name_;  // sorted; index into signals_
  std::array<std::vector<knowledge::FactDefinition>, domain_count> facts_;
  // Read on first use: most runs need few. By pointer, since other expressions point at them.
  struct Cache {
    std::recursive_mutex lock;  // a signal may be made of others
    std::array<std::map<std::string_view, Compiled>, domain_count> compiled;
    std::array<std::map<const char*, knowledge::Expression>, domain_count> kept;  // by where their text stands
    std::optional<knowledge::CodeFactCatalogue> code_facts;
    std::optional<Error> problem;  // of a signal, found while something else was read
  };
  std::unique_ptr<Cache> cache_ = std::make_unique<Cache>();
};

}  // namespace frx::advise
