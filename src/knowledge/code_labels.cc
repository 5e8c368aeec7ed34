#include "knowledge/code_labels.h"

#include <algorithm>

namespace frx::knowledge {
namespace {

using model::Proof;

Result<Proof> proof_of(const Value& value) {
  for (const Proof proof : {Proof::unproven, Proof::estimated, Proof::proven}) {
    if (value.text() == name_of(proof)) return proof;
  }
  return fail(ErrorKind::malformed, "expected unproven, estimated or proven, found '{}'", value.text()).at(value ? value.where() : "");
}

Result<CodeLabel> label_of(const Value& entry, const CodeFactCatalogue& facts, const std::string& subject) {
  CodeLabel label;
  label.id = entry["id"].text();
  label.display = entry["display"].text();
  label.evidence = entry["evidence"].text();
  label.layer = model::Layer::ptx;
  label.rule = entry["when"].text();
  label.cases = entry["cases"];
  label.where = entry.where();
  if (label.id.empty() || label.display.empty() || label.evidence.empty()) {
    return fail(ErrorKind::malformed, "expected id, display and evidence").at(entry.where());
  }
  TRY(facts.check_words(label.evidence, subject, entry["evidence"].where()));
  TRY_ASSIGN(label.when, read_condition(entry, facts.scope_of(subject)));
  TRY_ASSIGN(label.score, Expression::parse(entry["score"].text(), facts.scope_of(subject), entry["score"].where()));
  if (label.score.is_truth() || !label.score.dimension().is_plain_number()) {
    return fail(ErrorKind::malformed, "'score' is not a plain number").at(entry["score"].where());
  }
  TRY_ASSIGN(label.proof, proof_of(entry["proof"]));
  return label;
}

}  // namespace

Result<CodeLabels> CodeLabels::load(const Library& library, std::string_view kind) {
  TRY_ASSIGN(const CodeFactCatalogue facts, CodeFactCatalogue::load(library));
  return load(library, kind, facts);
}

Result<CodeLabels> CodeLabels::load(const Library& library, std::string_view kind, const CodeFactCatalogue& facts) {
  CodeLabels loaded;
  TRY_ASSIGN(const Value entries, library.file("data/code_labels/" + std::string(kind) + ".yaml").list("labels"));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    TRY_ASSIGN(CodeLabel label, label_of(entries.item(i), facts, fmt::format("{}_file", kind)));
    loaded.labels_.push_back(std::move(label));
  }
  return loaded;
}

}  // namespace frx::knowledge
