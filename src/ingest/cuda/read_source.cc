#include "ingest/cuda/read_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ingest/cuda/directive.h"
#include "ingest/cuda/kernel_heads.h"
#include "ingest/cuda/preprocessor.h"
#include "ingest/cuda/syntax_tree.h"

namespace frx::ingest::cuda {
namespace {

using model::cuda::Macro;
using model::cuda::NodeKind;
using model::cuda::Source;

constexpr std::size_t largest = std::size_t{256} << 20;
constexpr std::size_t bytes_per_node = 3;  // of dense text
constexpr std::uint32_t many_nodes = 100'000;

std::vector<std::uint32_t> line_starts(std::string_view text) {
  std::vector<std::uint32_t> starts;
  starts.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
  starts.push_back(0);
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
    starts.push_back(static_cast<std::uint32_t>(at + 1));
  }
  return starts;
}

// Each body becomes the initialiser of a variable in a text of its own: `auto m = BODY;`
struct Bodies {
  std::string text;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> at;  // byte where a body begins, and its macro
};

Bodies bodies_of(const std::vector<Macro>& macros) {
  Bodies bodies;
  for (std::uint32_t i = 0; i < macros.size(); ++i) {
    if (!may_be_expression(macros[i].body)) continue;
    bodies.text += "auto m = ";
    bodies.at.emplace_back(static_cast<std::uint32_t>(bodies.text.size()), i);
    bodies.text += macros[i].body + ";\n";
  }
  return bodies;
}

// Each is parsed on its own: one that is not an expression does not affect its neighbours.
void add_bodies(Source& source, const Bodies& bodies) {
  const std::string_view text = bodies.text;
  std::uint32_t no_matter = 0;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    end = text.find('\n', begin) + 1;
    const std::uint32_t offset = source.size + 1 + static_cast<std::uint32_t>(begin);
    if (!add_syntax(text.substr(begin, end - begin), offset, source.syntax, no_matter)) return;
  }
}

// Bodies and nodes are both in the order of the text.
void find_values(Source& source, const Bodies& bodies, std::uint32_t first) {
  const std::uint32_t offset = source.size + 1;
  std::size_t next = 0;
  for (std::uint32_t n = first; n < source.syntax.size() && next < bodies.at.size(); ++n) {
    const model::cuda::Node& node = source.syntax[n];
    if (node.kind != NodeKind::init_declarator) continue;
    const std::uint32_t value = source.syntax.child(n, model::cuda::Role::value);
    if (value == model::cuda::none) continue;
    while (next < bodies.at.size() && bodies.at[next].first + offset < source.syntax[value].begin) ++next;
    if (next == bodies.at.size() || bodies.at[next].first + offset != source.syntax[value].begin) continue;
    Macro& macro = source.macros[bodies.at[next].second];
    // A value that ends early is an expression with more text after it.
    if (source.syntax[value].end - source.syntax[value].begin == macro.body.size()) macro.value = value;
  }
}

// Does the tree hold it, as a function with its name and its specifier?
bool is_kernel_node(const Source& source, std::uint32_t node) {
  const std::uint32_t body = source.syntax.child(node, model::cuda::Role::body);
  const std::uint32_t declarator = source.syntax.child(node, model::cuda::Role::declarator);
  if (body == model::cuda::none || declarator == model::cuda::none) return false;
  for (std::uint32_t c = source.syntax.first_child(node); c != model::cuda::none && c < declarator; c = source.syntax.next_sibling(c)) {
    if (source.text_of(c) == "__global__") return true;
  }
  return false;
}

// Those among `heads`, which are in order, that the nodes from `first` on do not hold.
std::vector<KernelHead> missing(const Source& source, std::vector<KernelHead> heads, std::uint32_t first) {
  std::vector<bool> is_found(heads.size());
  for (std::uint32_t n = first; n < source.syntax.size(); ++n) {
    if (!source.syntax.is(n, NodeKind::function_definition) || !is_kernel_node(source, n)) continue;
    const std::uint32_t body = source.syntax[source.syntax.child(n, model::cuda::Role::body)].begin;
    const auto at = std::ranges::lower_bound(heads, body, {}, &KernelHead::body);
    if (at != heads.end() && at->body == body) is_found[static_cast<std::size_t>(at - heads.begin())] = true;
  }
  std::size_t i = 0;
  std::erase_if(heads, [&](const KernelHead&) { return is_found[i++]; });
  return heads;
}

void name_unread(Source& source, const KernelHead& head) {
  std::string name = source.text.substr(head.name_begin, head.name_end - head.name_begin);
  source.kernels_not_read.push_back({std::move(name), source.place_of(head.word, head.word_end()), "the parser does not know its syntax"});
}

// What the parser did not find in the whole text it may find in the text of the kernel alone: an error before it is no longer in its way.
void read_missing_kernels(Source& source, const std::vector<KernelHead>& heads) {
  if (heads.empty()) return;
  for (const KernelHead& head : missing(source, heads, 0)) {
    const std::uint32_t first = source.syntax.size();
    std::uint32_t errors = 0;
    const std::string_view alone = std::string_view(source.text).substr(head.begin, head.end - head.begin);
    const bool is_read = add_syntax(alone, head.begin, source.syntax, errors) && missing(source, {head}, first).empty();
    if (is_read) continue;
    source.syntax.nodes.resize(first);
    name_unread(source, head);
  }
}

// Names and headers that only HIP has.
bool is_hip(std::string_view text) {
  constexpr std::array<std::string_view, 5> ends = {"hipThreadIdx", "hipBlockIdx", "hipLaunchKernel", "hip/hip_", "hip_runtime"};
  for (std::size_t at = text.find("hip"); at != text.npos; at = text.find("hip", at + 3)) {
    if (std::ranges::any_of(ends, [&](std::string_view word) { return text.substr(at).starts_with(word); })) return true;
    if (at > 0 && text[at - 1] == '"' && text.substr(0, at - 1).ends_with("#include ")) return true;
  }
  return false;
}

}  // namespace

Result<Source> read_source(std::string name, std::string original, const Surroundings& around) {
  if (original.size() > largest) {
    return fail(ErrorKind::malformed, "more than 256 MiB are no source file").at(std::move(name));
  }
  if (const std::size_t zero = original.find('\0'); zero != original.npos) {
    const auto line = std::count(original.begin(), original.begin() + static_cast<std::ptrdiff_t>(zero), '\n') + 1;
    return fail(ErrorKind::malformed, "expected CUDA source, found a zero byte in line {}", line).at(std::move(name));
  }
  if (original.starts_with("\xEF\xBB\xBF")) original.erase(0, 3);
  Source source;
  source.original = std::move(original);
  const std::string_view text = source.original;
  source.name = std::move(name);
  source.line_starts = line_starts(text);
  source.units = Utf16Units(text);
  source.is_hip = is_hip(text);
  Preprocessed plain = preprocess(text, around);
  // Kernels that are for HIP alone, such as a file of them within `#ifdef USE_HIP`, are read as HIP.
  if (source.is_hip && text.find("__global__") != text.npos && plain.text.find("__global__") == plain.text.npos) {
    Surroundings of_hip = around;
    of_hip.compiler = Compiler::hipcc;
    plain = preprocess(text, of_hip);
  }
  if (plain.text.size() > largest)
    return fail(ErrorKind::malformed, "more than 256 MiB are no source file").at(std::string(source.name.view()));
  source.size = static_cast<std::uint32_t>(plain.text.size());
  source.origins = std::move(plain.origins);
  source.macros = std::move(plain.macros);
  source.unrolls = std::move(plain.unrolls);
  source.suppressions = std::move(plain.suppressions);
  const std::vector<KernelHead> heads = settle_kernel_heads(plain.text);
  const Bodies bodies = bodies_of(source.macros);
  source.text.reserve(plain.text.size() + 1 + bodies.text.size());
  source.text.append(plain.text).append("\n").append(bodies.text);
  std::string().swap(plain.text);
  source.syntax.nodes.reserve(source.text.size() / bytes_per_node);
  if (Result<> read = add_syntax(std::string_view(source.text).substr(0, source.size), 0, source.syntax, source.errors); !read) {
    return Failure{read.error()}.at(std::string(source.name.view()));
  }
  read_missing_kernels(source, heads);
  const std::uint32_t first = source.syntax.size();
  add_bodies(source, bodies);
  find_values(source, bodies, first);
  source.forget_original();
  // Unused capacity is never touched; shrinking would take all of the memory twice.
  if (source.syntax.size() < many_nodes) source.syntax.nodes.shrink_to_fit();
  return source;
}

}  // namespace frx::ingest::cuda
