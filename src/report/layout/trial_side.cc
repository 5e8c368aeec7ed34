#include "report/layout/trial_side.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/operators/json_members.h"

namespace frx::report {
namespace {

using SideJson = nlohmann::json;

constexpr std::string_view side_schema = "layout_trial_side.v1";

bool truth_of(const SideJson* object, const char* key) {
  if (!object) return false;
  const auto at = object->find(key);
  return at != object->end() && at->is_boolean() && at->get<bool>();
}

std::vector<std::string> words_in(const SideJson* object, const char* key) {
  std::vector<std::string> words;
  if (!object) return words;
  const auto list = object->find(key);
  if (list == object->end() || !list->is_array()) return words;
  for (const SideJson& one : *list) {
    if (one.is_string()) words.push_back(one.get<std::string>());
  }
  return words;
}

// A number, or the words by which JSON says that it is none.
std::optional<double> loss_of(const SideJson& value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return infinity;
  if (value == "-inf") return -infinity;
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

struct SideReader {
  std::string_view name;
  TrialSide side;

  Failure wrong(const std::string& member, std::string_view expected) const {
    return fail(ErrorKind::malformed, "{}: expected {}", member, expected).at(std::string(name));
  }

  Result<> windows(const SideJson& document) {
    const auto list = document.find("windows");
    if (list == document.end() || !list->is_array()) return wrong("windows", "a list of times");
    for (const SideJson& one : *list) {
      const std::optional<double> ns = one.is_object() ? number_of(one, "ns") : std::nullopt;
      if (!ns || !(*ns > 0)) return wrong("windows", "a time above 0 in each window");
      const std::optional<double> items = number_of(one, "items");
      if (items && !(*items > 0)) return wrong("windows", "items above 0, or null");
      side.windows.push_back({*ns, items});
    }
    return {};
  }

  Result<> losses(const SideJson& document) {
    const auto list = document.find("losses");
    if (list == document.end()) return {};
    if (!list->is_array()) return wrong("losses", "a list of numbers");
    for (const SideJson& one : *list) {
      const std::optional<double> loss = loss_of(one);
      if (!loss) return wrong("losses", "numbers, or nan, inf and -inf as texts");
      side.losses.push_back(*loss);
    }
    return {};
  }

  Result<TrialTensor> tensor(const SideJson& one) const {
    TrialTensor tensor{text_of(one, "name"), text_of(one, "file"), text_of(one, "dtype"), {}, 0, 1};
    if (tensor.file.empty() || tensor.file.find('/') != tensor.file.npos || tensor.dtype.empty())
      return wrong("outputs", "name, file and dtype of each tensor");
    const std::optional<std::int64_t> elements = whole_of(one, "elements"), stride = whole_of(one, "stride");
    if (!elements || *elements < 0 || !stride || *stride < 1) return wrong("outputs", "elements from 0 and stride from 1");
    tensor.elements = static_cast<std::uint64_t>(*elements);
    tensor.stride = static_cast<std::uint64_t>(*stride);
    const auto sizes = one.find("sizes");
    if (sizes == one.end() || !sizes->is_array()) return wrong("outputs", "sizes of each tensor");
    for (const SideJson& size : *sizes) {
      if (!size.is_number_integer()) return wrong("outputs", "whole numbers as sizes");
      tensor.sizes.push_back(size.get<std::int64_t>());
    }
    return tensor;
  }

  Result<> outputs(const SideJson& document) {
    const auto list = document.find("outputs");
    if (list == document.end()) return {};
    if (!list->is_array()) return wrong("outputs", "a list of tensors");
    for (const SideJson& one : *list) {
      if (!one.is_object()) return wrong("outputs", "objects");
      TRY_ASSIGN(TrialTensor each, tensor(one));
      side.outputs.push_back(std::move(each));
    }
    return {};
  }

  void compile(const SideJson* object) {
    if (!object) return;
    CompileCounters& out = side.compile;
    out.mode = text_of(*object, "mode");
    out.source = text_of(*object, "source");
    out.unique_graphs = whole_of(*object, "unique_graphs");
    out.graph_breaks = whole_of(*object, "graph_breaks");
    out.recompiles = whole_of(*object, "recompiles");
    out.cudagraph_skips = whole_of(*object, "cudagraph_skips");
  }

  void machine(const SideJson& document) {
    if (const SideJson* device = object_in(&document, "device")) {
      side.device_kind = text_of(*device, "kind");
      side.device_name = text_of(*device, "name");
      side.device_memory_bytes = number_of(*device, "memory_bytes");
    }
    if (const SideJson* memory = object_in(&document, "memory")) {
      side.peak_memory_bytes = number_of(*memory, "peak_bytes");
      side.memory_of = text_of(*memory, "of");
    }
    const SideJson* precision = object_in(&document, "precision");
    if (precision) side.longest_sum = number_of(*precision, "longest_sum");
    side.precision = {words_in(precision, "parameters"), truth_of(precision, "tf32_matmul"), truth_of(precision, "tf32_cudnn"),
                      truth_of(precision, "cudnn_benchmark"), truth_of(precision, "deterministic")};
  }

  void distribution(const SideJson* object) {
    if (!object) return;
    side.distributed = {truth_of(object, "initialised"), whole_of(*object, "world_size"), whole_of(*object, "groups"),
                        text_of(*object, "backend"), words_in(object, "wrappers")};
  }
};

}  // namespace

Result<TrialSide> read_trial_side(std::string_view name, const std::string& text) {
  const SideJson document = SideJson::parse(text, nullptr, false);
  if (!document.is_object()) return fail(ErrorKind::malformed, "expected a side of a trial, a JSON object").at(std::string(name));
  SideReader reader{name, {}};
  if (text_of(document, "schema") != side_schema) return reader.wrong("schema", side_schema);
  TrialSide& side = reader.side;
  TRY(reader.windows(document));
  TRY(reader.losses(document));
  TRY(reader.outputs(document));
  reader.compile(object_in(&document, "compile"));
  reader.machine(document);
  reader.distribution(object_in(&document, "distributed"));
  side.rank = whole_of(document, "rank").value_or(0);
  side.torch = text_of(document, "torch");
  if (const SideJson* plan = object_in(&document, "plan")) {
    side.plan_sha256 = text_of(*plan, "sha256");
    side.modules = whole_of(*plan, "modules").value_or(0);
  }
  side.seed = whole_of(document, "seed");
  if (const auto list = document.find("namespaces"); list != document.end() && list->is_array())
    side.namespaces = words_in(&document, "namespaces");
  side.profiled_windows = whole_of(document, "profiled_windows").value_or(0);
  side.trace = text_of(document, "trace");
  if (side.trace.find('/') != side.trace.npos) return reader.wrong("trace", "the name of a file of this folder");
  side.notes = words_in(&document, "notes");
  return std::move(reader.side);
}

}  // namespace frx::report
