#include "ingest/execution_trace.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "ingest/unpacked_source.h"

namespace frx::ingest {
namespace {

using NodeJson = nlohmann::json;

constexpr std::size_t most_tensors = std::size_t{1} << 26;
constexpr int deepest_node = 64;

// The bytes of the source as JSON: of words outside of texts only true, false and null are left; others, such as nan and -inf, are null.
class NumberlessWords : public std::streambuf {
 public:
  explicit NumberlessWords(ByteSource& source) : source_(source) {}

  const std::optional<Error>& error() const { return error_; }

 protected:
  int_type underflow() override {
    out_.clear();
    while (out_.empty()) {
      const Result<std::size_t> read = source_.read(in_);
      if (!read) error_ = read.error();
      const std::size_t size = read.value_or(0);
      for (std::size_t i = 0; i < size; ++i) add(in_[i]);
      if (size > 0) continue;
      end_word();
      if (out_.empty()) return traits_type::eof();
    }
    setg(out_.data(), out_.data(), out_.data() + out_.size());
    return traits_type::to_int_type(out_.front());
  }

 private:
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  void add(char c) {
    if (in_text_) {
      out_ += c;
      if (!escaped_ && c == '"') in_text_ = false;
      escaped_ = !escaped_ && c == '\\';
      return;
    }
    // The exponent of a number is no word.
    if (c == '-' || (is_letter(c) && !in_number_) || !word_.empty()) {
      if (is_letter(c) || (c == '-' && word_.empty())) {
        if (word_.size() < longest_word) word_ += c;
        return;
      }
      end_word();
    }
    in_number_ = (c >= '0' && c <= '9') || (in_number_ && (c == '.' || c == '+' || is_letter(c)));
    in_text_ = c == '"';
    out_ += c;
  }

  void end_word() {
    if (word_ == "-") {
      out_ += '-';
    } else if (!word_.empty()) {
      out_ += word_ == "true" || word_ == "false" ? word_ : "null";
    }
    word_.clear();
  }

  static constexpr std::size_t longest_word = 16;
  ByteSource& source_;
  std::array<char, std::size_t{1} << 16> in_ = {};
  std::string out_, word_;
  bool in_text_ = false, escaped_ = false, in_number_ = false;
  std::optional<Error> error_;
};

// Which arguments of "aten::add_(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)" are written, in their order.
std::vector<bool> written_arguments(std::string_view schema) {
  std::vector<bool> written;
  const std::size_t open = schema.find('(');
  if (open == schema.npos) return written;
  int depth = 1;
  bool is_written = false;
  std::string_view argument = schema.substr(open + 1);
  std::size_t begin = 0;
  const auto end_argument = [&](std::size_t at) {
    const std::string_view text = trim(argument.substr(begin, at - begin));
    if (!text.empty() && text != "*") written.push_back(is_written);
    is_written = false;
    begin = at + 1;
  };
  for (std::size_t i = 0; i < argument.size(); ++i) {
    const char c = argument[i];
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    is_written = is_written || c == '!';
    if (depth == 0 || (depth == 1 && c == ',')) end_argument(i);
    if (depth == 0) break;
  }
  return written;
}

const NodeJson* node_member(const NodeJson& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(key);
  return at == object.end() ? nullptr : &*at;
}

// Both forms of a node as one.
struct TracedNode {
  const NodeJson *id = nullptr, *parent = nullptr, *call = nullptr, *schema = nullptr;
  const NodeJson *inputs = nullptr, *input_types = nullptr, *outputs = nullptr, *output_types = nullptr;

  explicit TracedNode(const NodeJson& node) {
    id = node_member(node, "id");
    inputs = node_member(node, "inputs");
    outputs = node_member(node, "outputs");
    parent = node_member(node, "parent");
    call = node_member(node, "rf_id");
    schema = node_member(node, "op_schema");
    input_types = node_member(node, "input_types");
    output_types = node_member(node, "output_types");
    if (!inputs || !inputs->is_object()) return;
    parent = node_member(node, "ctrl_deps");
    input_types = node_member(*inputs, "types");
    inputs = node_member(*inputs, "values");
    output_types = outputs ? node_member(*outputs, "types") : nullptr;
    outputs = outputs ? node_member(*outputs, "values") : nullptr;
    const NodeJson* const attributes = node_member(node, "attrs");
    if (!attributes || !attributes->is_array()) return;
    for (const NodeJson& one : *attributes) {
      const NodeJson* const name = node_member(one, "name");
      if (name && *name == "rf_id") call = node_member(one, "value");
      if (name && *name == "op_schema") schema = node_member(one, "value");
    }
  }
};

std::optional<std::uint64_t> number_in(const NodeJson* value) {
  return value && value->is_number_unsigned() ? std::optional(value->get<std::uint64_t>()) : std::nullopt;
}

std::optional<model::TensorIdentity> tensor_in(const NodeJson& value) {
  if (!value.is_array() || value.size() < 5) return std::nullopt;
  for (std::size_t i = 0; i < 4; ++i) {
    if (!value[i].is_number_integer()) return std::nullopt;
  }
  if (!value[0].is_number_unsigned() || !value[1].is_number_unsigned()) return std::nullopt;
  return model::TensorIdentity{value[0].get<std::uint64_t>(), value[1].get<std::uint64_t>(), value[2].get<std::int64_t>(),
                               value[3].get<std::int64_t>()};
}

// The tensors of one argument: itself, or those of a list.
std::vector<model::TensorIdentity> tensors_in(const NodeJson& value, const NodeJson* types, std::size_t index) {
  std::vector<model::TensorIdentity> tensors;
  if (!types || !types->is_array() || index >= types->size() || !(*types)[index].is_string()) return tensors;
  const auto& type = (*types)[index].get_ref<const std::string&>();
  if (type.starts_with("Tensor")) {
    if (const auto tensor = tensor_in(value)) tensors.push_back(*tensor);
  } else if (type.starts_with("GenericList[Tensor") && value.is_array()) {
    for (const NodeJson& one : value) {
      if (const auto tensor = tensor_in(one)) tensors.push_back(*tensor);
    }
  }
  return tensors;
}

class NodeReader {
 public:
  // False: more tensors than can be kept.
  bool add(const NodeJson& json) {
    const TracedNode node(json);
    const std::optional<std::uint64_t> call = number_in(node.call);
    if (!call || *call == 0 || *call >= 0xFFFFFFFFU) return true;
    ++trace_.calls;
    const auto begin = static_cast<std::uint32_t>(*call), end = last_call_in(node, begin);
    std::vector<std::uint64_t> taken;
    add_inputs(node, begin, end, taken);
    // A result that lies in memory of an input is a view of it, unless nothing is known about the operator.
    const bool is_known = node.schema && node.schema->is_string() && !node.schema->get_ref<const std::string&>().empty();
    for_each_tensor(node.outputs, node.output_types, [&](std::size_t, bool, const model::TensorIdentity& tensor) {
      if (!is_known || std::ranges::find(taken, tensor.storage) == taken.end()) write(tensor.storage, begin, end);
    });
    return trace_.inputs.size() + trace_.writes.size() <= most_tensors;
  }

  model::ExecutionTrace take() {
    const auto by_call = [](const model::TracedInput& one) { return std::pair(one.call, one.index); };
    std::ranges::stable_sort(trace_.inputs, {}, by_call);
    std::ranges::sort(trace_.writes, {}, [](const model::StorageWrite& one) { return std::pair(one.storage, one.moment); });
    return std::move(trace_);
  }
  std::uint64_t calls() const { return trace_.calls; }

 private:
  template <typename Take>
  static void for_each_tensor(const NodeJson* values, const NodeJson* types, Take take) {
    if (!values || !values->is_array()) return;
    for (std::size_t i = 0; i < values->size(); ++i) {
      const std::vector<model::TensorIdentity> tensors = tensors_in((*values)[i], types, i);
      const bool is_list = !tensors.empty() && (*values)[i].front().is_array();
      for (const model::TensorIdentity& tensor : tensors) take(i, is_list, tensor);
    }
  }

  void add_inputs(const TracedNode& node, std::uint32_t begin, std::uint32_t end, std::vector<std::uint64_t>& taken) {
    const bool has_schema = node.schema && node.schema->is_string();
    const std::string schema = has_schema ? node.schema->get<std::string>() : std::string();
    const auto [at, is_new] = written_by_.try_emplace(schema);
    if (is_new) at->second = written_arguments(schema);
    const std::vector<bool>& written = at->second;
    const bool gives_nothing = !node.outputs || node.outputs->empty();
    for_each_tensor(node.inputs, node.input_types, [&](std::size_t index, bool is_list, const model::TensorIdentity& tensor) {
      taken.push_back(tensor.storage);
      if (!is_list) trace_.inputs.push_back({begin, static_cast<std::uint32_t>(index), tensor});
      // What gives nothing and says nothing of itself may write all that it takes.
      const bool is_written = schema.empty() ? gives_nothing : index < written.size() && written[index];
      if (is_written) write(tensor.storage, begin, end);
    });
  }

  void write(std::uint64_t storage, std::uint32_t begin, std::uint32_t end) {
    trace_.writes.push_back({storage, begin});
    if (end != begin) trace_.writes.push_back({storage, end});
  }

  // Calls inside of a call end, and are written, before it.
  std::uint32_t last_call_in(const TracedNode& node, std::uint32_t own) {
    std::uint32_t last = own;
    if (const std::optional<std::uint64_t> id = number_in(node.id)) {
      if (const auto inside = last_inside_.find(*id); inside != last_inside_.end()) {
        last = std::max(last, inside->second);
        last_inside_.erase(inside);
      }
    }
    if (const std::optional<std::uint64_t> parent = number_in(node.parent)) {
      std::uint32_t& of_parent = last_inside_[*parent];
      of_parent = std::max(of_parent, last);
    }
    return last;
  }

  model::ExecutionTrace trace_;
  std::unordered_map<std::uint64_t, std::uint32_t> last_inside_;   // by node that has not ended: the last call inside of it
  std::unordered_map<std::string, std::vector<bool>> written_by_;  // by schema
};

Failure no_execution_trace(const std::string& name) {
  return fail(ErrorKind::malformed, "expected an execution trace of PyTorch, a JSON object with nodes that have an rf_id")
      .at(name)
      .hint("record it with torch.profiler.ExecutionTraceObserver, while the profiler records the trace");
}

}  // namespace

Result<model::ExecutionTrace> read_execution_trace(const std::string& name, ByteSource& source) {
  UnpackedSource unpacked(source);
  TRY(unpacked.head());
  NumberlessWords words(unpacked);
  std::istream text(&words);
  NodeReader reader;
  bool has_room = true;
  // Depth 0 is the file, 1 the list of nodes, 2 a node. What was taken from one is not kept.
  const NodeJson::parser_callback_t take = [&](int depth, NodeJson::parse_event_t event, NodeJson& value) {
    if (depth > deepest_node) return false;
    if (event != NodeJson::parse_event_t::object_end || depth != 2) return true;
    has_room = has_room && reader.add(value);
    return false;
  };
  const NodeJson rest = NodeJson::parse(text, take, false);
  if (words.error()) return Failure{*words.error()};
  if (!has_room) return fail(ErrorKind::malformed, "more than {} tensors", most_tensors).at(name);
  if (reader.calls() == 0) return no_execution_trace(name);
  model::ExecutionTrace trace = reader.take();
  trace.source = name;
  trace.cut_short = rest.is_discarded();
  return trace;
}

}  // namespace frx::ingest
