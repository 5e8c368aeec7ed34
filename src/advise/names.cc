#include "advise/names.h"

#include <algorithm>

#include "advise/kernel_circumstances.h"
#include "advise/run_circumstances.h"
#include "base/text.h"
#include "model/run_facts.h"

namespace frx::advise {
namespace {

using knowledge::Expression;
using knowledge::FactDefinition;
using knowledge::Operand;

constexpr std::string_view names_file = "data/recommendations/signals.yaml";

std::optional<std::size_t> place_of(std::string_view name, std::span<const std::string_view> names) {
  const auto at = std::ranges::find(names, name);
  return at == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - names.begin()));
}

std::optional<Operand> class_called(const knowledge::KernelClasses& classes, std::string_view name) {
  const bool of_kernel = name.starts_with("kernel.");
  if (!of_kernel && !name.starts_with("program.")) return std::nullopt;
  const auto at = classes.with_name(name.substr(name.find('.') + 1));
  if (!at) return std::nullopt;
  return Operand{(of_kernel ? slots::kernel_class : slots::program_class) + static_cast<std::uint32_t>(*at), {}, true};
}

std::optional<Operand> run_fact_called(std::string_view name) {
  const auto* const at = std::ranges::find(model::run_fact_names, name, &model::RunFactName::name);
  if (at == std::end(model::run_fact_names)) return std::nullopt;
  return Operand{static_cast<std::uint32_t>(at - model::run_fact_names), *parse_unit(at->unit), false};
}

}  // namespace

std::span<const std::string_view> fact_names(Domain domain) {
  switch (domain) {
    case Domain::kernel: return KernelCircumstances::fact_names();
    case Domain::run: return RunCircumstances::fact_names();
    case Domain::ptx: return {};
  }
  return {};
}

Result<Names> Names::load(const knowledge::Knowledge& knowledge) {
  Names names;
  names.knowledge_ = &knowledge;
  names.thresholds_ = knowledge.labels.thresholds();
  TRY(names.read_labels(knowledge));
  TRY(names.read_facts(knowledge.library));
  TRY(names.read_signals(knowledge.library));
  return names;
}

Result<> Names::read_labels(const knowledge::Knowledge& knowledge) {
  for (const knowledge::Label& label : knowledge.labels.all()) labels_[index(Domain::kernel)].push_back(label.id);
  for (const Value& root : knowledge.library.folder("run_labels")) labels_[index(Domain::run)].push_back(root["id"].text());
  TRY_ASSIGN(const Value entries, knowledge.library.file("data/code_labels/ptx.yaml").list("labels"));
  std::vector<std::string_view>& of_ptx = labels_[index(Domain::ptx)];
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string_view id = entries.item(i)["id"].text();
    if (std::ranges::find(of_ptx, id) == of_ptx.end()) of_ptx.push_back(id);
  }
  return {};
}

Result<> Names::read_facts(const knowledge::Library& library) {
  for (std::size_t d = 0; d < domain_count; ++d) facts_[d].resize(fact_names(static_cast<Domain>(d)).size());
  for (const std::string_view file : {"data/facts/kernel.yaml", "data/facts/program.yaml"}) {
    const Value root = library.file(file);
    TRY_ASSIGN(const Value list, root.list("facts"));
    for (std::size_t i = 0; i < list.size(); ++i) {
      TRY_ASSIGN(const FactDefinition fact, knowledge::read_fact(list.item(i)));
      for (const std::string_view name : (list.item(i)["of"] ? list.item(i)["of"] : root["of"]).texts()) {
        const auto domain = place_of(name, domain_names);
        const auto at = domain ? place_of(fact.id, fact_names(static_cast<Domain>(*domain))) : std::nullopt;
        if (!at) return fail(ErrorKind::malformed, "'{}' is no fact of a {} that frx finds out", fact.id, name).at(list.item(i).where());
        facts_[*domain][*at] = fact;
      }
    }
  }
  return {};
}

Result<> Names::read_signals(const knowledge::Library& library) {
  const Value root = library.file(names_file)["signals"];
  for (std::size_t d = 0; d < domain_count; ++d) {
    TRY_ASSIGN(const Value list, root.list(domain_names[d]));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Value entry = list.item(i);
      Signal signal{entry["id"].text(), entry["words"].text(), entry["documented"].boolean().value_or(false), entry["is"]};
      if (signal.id.empty() || !signal.is.is_text()) {
        return fail(ErrorKind::malformed, "expected a signal with an id and an expression as 'is'").at(entry.where());
      }
      by_name_[d].emplace_back(signal.id, i);
      signals_[d].push_back(signal);
    }
    std::ranges::sort(by_name_[d]);
  }
  return {};
}

std::optional<Domain> Names::domain_of(std::string_view label) const {
  for (std::size_t d = 0; d < domain_count; ++d) {
    if (place_of(label, labels_[d])) return static_cast<Domain>(d);
  }
  return std::nullopt;
}

std::optional<Operand> Names::label_state(Domain domain, std::string_view name) const {
  if (!name.starts_with("label.")) return std::nullopt;
  name.remove_prefix(6);
  const bool is_score = name.ends_with(".score");
  if (is_score) name.remove_suffix(6);
  const auto at = place_of(name, labels_[index(domain)]);
  if (!at) return std::nullopt;
  return Operand{slots::label + 2 * static_cast<std::uint32_t>(*at) + (is_score ? 1 : 0), {}, !is_score};
}

// Names of the diagnosed subject itself.
std::optional<Operand> Names::measured(Domain domain, std::string_view name) const {
  if (domain == Domain::ptx) return code_facts().scope_of("ptx_file")(name);
  if (domain == Domain::run) return run_fact_called(name);
  if (const auto metric = knowledge_->metrics.operand_called(name)) return metric;
  return class_called(knowledge_->classes, name);
}

std::optional<Operand> Names::known_here(Domain domain, std::string_view name) const {
  if (const Expression* const signal = meaning(domain, name)) return Operand{.meaning = signal};
  if (const auto state = label_state(domain, name)) return state;
  if (const auto at = place_of(name, fact_names(domain))) {
    const FactDefinition& fact = facts_[index(domain)][*at];
    return Operand{slots::fact + static_cast<std::uint32_t>(*at), fact.unit, fact.type == FactDefinition::truth};
  }
  if (const auto threshold = thresholds_.operand(name, slots::threshold)) return threshold;
  return measured(domain, name);
}

// Code analysis has checked data/facts, or has no need of them.
const knowledge::CodeFactCatalogue& Names::code_facts() const {
  const std::lock_guard guard(cache_->lock);
  if (!cache_->code_facts) cache_->code_facts = knowledge::CodeFactCatalogue::load(knowledge_->library).value();
  return *cache_->code_facts;
}

std::optional<Operand> Names::find(Domain domain, std::string_view name) const {
  if (const auto here = known_here(domain, name)) return here;
  for (std::size_t d = 0; d < domain_count; ++d) {
    if (d == index(domain)) continue;
    const auto there = known_here(static_cast<Domain>(d), name);
    if (!there) continue;
    if (there->meaning == nullptr) return Operand{slots::other_domain, there->unit, there->is_truth};
    return Operand{slots::other_domain, Unit{there->meaning->dimension(), 1}, there->meaning->is_truth()};
  }
  return std::nullopt;
}

const Expression* Names::meaning(Domain domain, std::string_view signal) const {
  const std::lock_guard guard(cache_->lock);
  const auto& sorted = by_name_[index(domain)];
  const auto found = std::ranges::lower_bound(sorted, signal, {}, &std::pair<std::string_view, std::size_t>::first);
  if (found == sorted.end() || found->first != signal) return nullptr;
  const Signal* const at = &signals_[index(domain)][found->second];
  auto& compiled = cache_->compiled[index(domain)];
  const auto [known, is_new] = compiled.try_emplace(at->id);
  if (!is_new && !known->second.is_open) return &known->second.expression;
  if (!is_new) {
    cache_->problem = fail(ErrorKind::malformed, "'{}' is made of itself", signal).at(at->is.where()).error;
    return nullptr;
  }
  known->second.is_open = true;
  Result<Expression> read = this->read(domain, at->is.text(), at->is.where());
  known->second.is_open = false;
  if (!read) {
    if (!cache_->problem) cache_->problem = read.error();
    compiled.erase(known);
    return nullptr;
  }
  known->second.expression = std::move(*read);
  return &known->second.expression;
}

Result<Expression> Names::read(Domain domain, std::string_view text, const std::string& where) const {
  return Expression::parse(
      text, [this, domain](std::string_view name) { return find(domain, name); }, where);
}

Result<Expression> Names::expression(Domain domain, std::string_view text, const std::string& where) const {
  const std::lock_guard guard(cache_->lock);
  cache_->problem.reset();
  Result<Expression> expression = read(domain, text, where);
  if (cache_->problem) return tl::unexpected(*cache_->problem);
  return expression;
}

Result<Expression> Names::condition(Domain domain, const Value& text) const {
  if (!text.is_text()) return fail(ErrorKind::malformed, "expected a condition such as 'one_signal and not another'").at(text.where());
  TRY_ASSIGN(Expression condition, expression(domain, text.text(), text.where()));
  if (!condition.is_truth()) return fail(ErrorKind::malformed, "'{}' is not a condition", shorten(text.text(), 100)).at(text.where());
  return condition;
}

const Expression& Names::kept(Domain domain, std::string_view text) const {
  static const Expression none;
  if (text.empty()) return none;
  const std::lock_guard guard(cache_->lock);
  const auto [at, is_new] = cache_->kept[index(domain)].try_emplace(text.data());
  if (is_new) at->second = expression(domain, text, "").value();
  return at->second;
}

Result<> Names::check() const {
  for (std::size_t d = 0; d < domain_count; ++d) {
    for (const Signal& signal : signals_[d]) TRY(expression(static_cast<Domain>(d), signal.id, signal.is.where()));
  }
  return {};
}

}  // namespace frx::advise
