#include "derive/layout/copies.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include "base/text.h"
#include "derive/layout/operator_output.h"

namespace frx::derive::layout {
namespace {

using model::EventKind;

constexpr double sure = 0.95, by_kernel_name = 0.6, by_compiler = 0.7, by_order_of_kernels = 0.6;

struct KernelBits {
  std::uint64_t conversion, padding, strided, contiguous;
};

// What the name of a kernel says, found out once for each name.
struct NamedKernel {
  std::uint64_t bits = 0;
  bool is_known = false;
  InductorKernel compiled = {};
};

bool have_equal_types(const RecordedTensor& a, const RecordedTensor& b) { return a.type == b.type; }

DimensionsView strides_of(const RecordedTensor& tensor) { return tensor.strides ? DimensionsView(*tensor.strides) : DimensionsView(); }

std::optional<double> bytes_moved(const RecordedTensor& destination, const RecordedTensor& source) {
  const double to = element_bytes(destination.type), from = element_bytes(source.type);
  if (to == 0 || from == 0) return std::nullopt;
  return element_count(destination.shape) * to + distinct_elements(source.shape, strides_of(source)) * from;
}

// What a copy does, as far as its inputs tell.
struct Movement {
  std::optional<CopyKind> kind;
  std::optional<double> bytes;
  bool casts = false;
};

class CopyFinder {
 public:
  CopyFinder(const LayoutTrace& trace, const knowledge::KernelClasses& classes)
      : trace_(trace),
        classes_(classes),
        bits_{classes.bit_of("layout_conversion"), classes.bit_of("channel_padding"), classes.bit_of("strided_copy"),
              classes.bit_of("contiguous_copy")},
        named_(trace.timeline().names.size()) {}

  std::vector<Copy> find() {
    for (std::uint32_t node = 0; node < trace_.nodes().size(); ++node) {
      if (trace_.nodes()[node].step == none) continue;
      if (is_leaf(node)) {
        add_eager(node);
      } else {
        add_kernels(node);
      }
    }
    for (std::uint32_t work = 0; work < trace_.attribution().work.size(); ++work) {
      if (trace_.node_of_work(work) == none && trace_.step_of_work(work) != none) add_named(none, work, 0);
    }
    add_operands_of_convolutions();
    // What copies under one operator is one copy, and stands where its first leaf does.
    std::ranges::stable_sort(copies_, {}, &Copy::node);
    return std::move(copies_);
  }

 private:
  bool is_leaf(std::uint32_t node) const {
    if (trace_.nodes()[node].role != OperatorRole::copy) return false;
    if (trace_.has_gpu_work()) return !trace_.own_work(node).empty();
    return trace_.name(node) == "aten::copy_";
  }

  void add_eager(std::uint32_t leaf) {
    std::uint32_t outermost = leaf;
    while (trace_.nodes()[outermost].parent != none && trace_.nodes()[trace_.nodes()[outermost].parent].role == OperatorRole::copy)
      outermost = trace_.nodes()[outermost].parent;
    Copy copy;
    copy.node = outermost;
    copy.leaf = leaf;
    copy.step = trace_.nodes()[outermost].step;
    if (copy.step == none) return;
    copy.hot = hot_around(outermost);
    const std::span<const std::uint32_t> work = trace_.own_work(leaf);
    copy.work.assign(work.begin(), work.end());
    for (const std::uint32_t one : work) copy.time_ns += static_cast<double>(trace_.duration(one));
    if (work.empty()) copy.time_ns = static_cast<double>(trace_.timeline().duration[trace_.nodes()[leaf].row]);
    const Movement& moved = movement_of(copy);
    judge(copy, moved);
    copy.bytes = moved.bytes;
    put(std::move(copy));
  }

  // Several leaves under one operator: the larger one says what it is.
  void put(Copy copy) {
    const auto [at, is_new] = of_node_.try_emplace(copy.node, copies_.size());
    if (is_new) {
      copies_.push_back(std::move(copy));
      return;
    }
    Copy& known = copies_[at->second];
    const double time = known.time_ns + copy.time_ns;
    const std::optional<double> bytes = known.bytes && copy.bytes ? std::optional(*known.bytes + *copy.bytes) : std::nullopt;
    std::vector<std::uint32_t> work = std::move(known.work);
    work.insert(work.end(), copy.work.begin(), copy.work.end());
    if (copy.time_ns > known.time_ns) known = std::move(copy);
    known.time_ns = time;
    known.bytes = bytes;
    known.work = std::move(work);
  }

  std::uint32_t hot_around(std::uint32_t node) const {
    for (std::uint32_t at = trace_.nodes()[node].parent; at != none; at = trace_.nodes()[at].parent) {
      if (is_hot(trace_.nodes()[at].role)) return at;
    }
    return none;
  }

  bool is_transfer(const Copy& copy) const {
    return std::ranges::any_of(copy.work, [&](std::uint32_t work) { return trace_.is_transfer(trace_.attribution().work[work].event); });
  }

  // Copies of the same name with equal inputs move the same.
  const Movement& movement_of(const Copy& copy) {
    const auto [at, is_new] = movements_.try_emplace(trace_.same_call(copy.leaf));
    if (!is_new) return at->second;
    const CopyTensors tensors = tensors_of(trace_, copy);
    if (tensors.destination && tensors.source) {
      at->second.kind = kind_by_strides(*tensors.destination, *tensors.source);
      at->second.casts = !have_equal_types(*tensors.destination, *tensors.source);
      at->second.bytes = bytes_moved(*tensors.destination, *tensors.source);
    }
    return at->second;
  }

  void judge(Copy& copy, const Movement& moved) const {
    copy.confidence = sure;
    if (is_transfer(copy)) {
      copy.kind = CopyKind::transfer;
    } else if (moved.kind) {
      copy.kind = *moved.kind;
    } else {
      judge_by_names(copy, moved.casts);
    }
  }

  void judge_by_names(Copy& copy, bool casts) const {
    copy.confidence = by_kernel_name;
    std::uint64_t bits = 0;
    bool has_memcpy = false;
    for (const std::uint32_t work : copy.work) {
      bits |= named(work).bits;
      has_memcpy = has_memcpy || trace_.timeline().kind[trace_.attribution().work[work].event] == EventKind::memcpy;
    }
    const std::string_view name = plain_name(trace_.name(copy.node));
    if ((bits & bits_.strided) != 0) {
      copy.kind = casts ? CopyKind::cast_relayout : CopyKind::relayout;
    } else if ((bits & bits_.contiguous) != 0 || has_memcpy) {
      copy.kind = casts ? CopyKind::cast : CopyKind::plain;
    } else if (name == "contiguous" || name == "reshape" || name == "flatten") {
      // They copy only what is not as it should be.
      copy.kind = CopyKind::relayout;
    }
  }

  const NamedKernel& named(std::uint32_t work) const {
    NamedKernel& kernel = named_[trace_.timeline().name[trace_.attribution().work[work].event]];
    if (kernel.is_known) return kernel;
    kernel.is_known = true;
    kernel.bits = classes_.of(trace_.kernel_name(work));
    kernel.compiled = inductor_kernel(trace_.kernel_name(work));
    return kernel;
  }

  void add_kernels(std::uint32_t node) {
    std::size_t conversions = 0;
    for (const std::uint32_t work : trace_.own_work(node)) conversions += add_named(node, work, conversions);
  }

  // Of a node, or none. `before`: conversions of that node before this one. Is it one, too?
  bool add_named(std::uint32_t node, std::uint32_t work, std::size_t before) {
    const NamedKernel& kernel = named(work);
    const bool converts = (kernel.bits & (bits_.conversion | bits_.padding)) != 0;
    if (converts) {
      add_conversion(node, work, (kernel.bits & bits_.padding) != 0, before);
    } else if (kernel.compiled.only_moves) {
      add_compiled(node, work, kernel.compiled.casts ? CopyKind::cast_relayout : CopyKind::relayout);
    }
    return converts;
  }

  // torch.compile names both what writes an operand in another order and what adds a bias after the convolution: what stands between
  // another operator and a convolution is of the first kind.
  void add_operands_of_convolutions() {
    struct Stream {
      std::vector<std::uint32_t> open;  // kernels that would be of the next convolution
      bool after_convolution = false;
    };
    std::vector<Stream> streams(trace_.timeline().tracks.size());
    for (std::uint32_t work = 0; work < trace_.attribution().work.size(); ++work) {
      const std::uint32_t node = trace_.node_of_work(work);
      Stream& stream = streams[trace_.timeline().track[trace_.attribution().work[work].event]];
      if (named(work).compiled.is_convolution && node != none) {
        if (!stream.after_convolution && trace_.nodes()[node].step != none) stream.open.push_back(work);
        continue;
      }
      if (named(work).compiled.only_moves) continue;
      stream.after_convolution = node != none && trace_.nodes()[node].role == OperatorRole::convolution;
      if (stream.after_convolution) {
        for (const std::uint32_t operand : stream.open) {
          add_compiled(trace_.node_of_work(operand), operand, CopyKind::relayout);
          copies_.back().hot = node;
          copies_.back().confidence = by_order_of_kernels;
        }
      }
      stream.open.clear();
    }
  }

  Copy of_kernel(std::uint32_t node, std::uint32_t work, CopyOrigin origin) const {
    Copy copy;
    copy.node = node;
    copy.step = node == none ? trace_.step_of_work(work) : trace_.nodes()[node].step;
    copy.origin = origin;
    copy.kind = CopyKind::relayout;
    if (node != none) copy.hot = is_hot(trace_.nodes()[node].role) ? node : hot_around(node);
    copy.time_ns = static_cast<double>(trace_.duration(work));
    copy.work = {work};
    return copy;
  }

  // Of a forward convolution the operands are converted in their order: the activation, then the weight; what is converted back is its
  // result. In which order those of the backward pass are is not known, and neither are their bytes.
  void add_conversion(std::uint32_t node, std::uint32_t work, bool pads, std::size_t before) {
    Copy copy = of_kernel(node, work, CopyOrigin::library);
    copy.confidence = sure;
    copy.pads_channels = pads;
    const RecordedInputs* const inputs = node == none ? nullptr : trace_.inputs(node);
    if (inputs && trace_.name(node).find("backward") == std::string_view::npos) copy.bytes = bytes_converted(node, *inputs, work, before);
    copies_.push_back(std::move(copy));
  }

  std::optional<double> bytes_converted(std::uint32_t node, const RecordedInputs& inputs, std::uint32_t work, std::size_t before) const {
    const bool is_of_result = contains_ignoring_case(trace_.kernel_name(work), "nhwctonchw");
    if (is_of_result) {
      const std::optional<OperatorOutput> made = output_of(trace_.name(node), inputs);
      const double size = made ? element_bytes(made->type) : 0;
      return size > 0 ? std::optional(2 * element_count(made->sizes) * size) : std::nullopt;
    }
    const RecordedTensor* const operand = before < 2 ? tensor_at(inputs, before) : nullptr;
    const double size = operand ? element_bytes(operand->type) : 0;
    return size > 0 ? std::optional(2 * element_count(operand->shape) * size) : std::nullopt;
  }

  void add_compiled(std::uint32_t node, std::uint32_t work, CopyKind kind) {
    Copy copy = of_kernel(node, work, CopyOrigin::compiled);
    copy.kind = kind;
    copy.confidence = by_compiler;
    copies_.push_back(std::move(copy));
  }

  const LayoutTrace& trace_;
  const knowledge::KernelClasses& classes_;
  KernelBits bits_;
  mutable std::vector<NamedKernel> named_;  // by name of the timeline
  std::vector<Copy> copies_;
  std::unordered_map<std::uint64_t, Movement> movements_;   // by LayoutTrace::same_call of a leaf
  std::unordered_map<std::uint32_t, std::size_t> of_node_;  // eager copies by their outermost operator
};

}  // namespace

std::string_view name_of(CopyKind kind) {
  constexpr std::array<std::string_view, 8> names = {"unknown",       "transfer",    "cast",    "relayout",
                                                     "cast+relayout", "materialise", "compact", "plain"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<Copy> copies_of(const LayoutTrace& trace, const knowledge::KernelClasses& classes) { return CopyFinder(trace, classes).find(); }

CopyTensors tensors_of(const LayoutTrace& trace, const Copy& copy) {
  if (copy.leaf == none) return {};
  const RecordedInputs* const inputs = trace.inputs(copy.leaf);
  if (!inputs) return {};
  const std::string_view name = plain_name(trace.name(copy.leaf));
  if (name == "copy_") return {tensor_at(*inputs, 0), tensor_at(*inputs, 1)};
  // What another operator makes was not recorded.
  return {nullptr, tensor_at(*inputs, 0)};
}

std::optional<CopyKind> kind_by_strides(const RecordedTensor& destination, const RecordedTensor& source) {
  if (!destination.strides || !source.strides) return std::nullopt;
  const LayoutClass from = layout_of(source.shape, *source.strides);
  if (from == LayoutClass::unknown || layout_of(destination.shape, *destination.strides) == LayoutClass::unknown) return std::nullopt;
  const bool casts = !have_equal_types(destination, source);
  // A source of fewer dimensions or elements is broadcast to the destination.
  if (from == LayoutClass::expanded || destination.shape != source.shape)
    return element_count(destination.shape) > distinct_elements(source.shape, *source.strides) ? CopyKind::materialise : CopyKind::plain;
  const bool same_order = have_same_order(destination.shape, *destination.strides, *source.strides).value_or(false);
  if (!same_order) return casts ? CopyKind::cast_relayout : CopyKind::relayout;
  if (casts) return CopyKind::cast;
  return from == LayoutClass::gapped ? CopyKind::compact : CopyKind::plain;
}

InductorKernel inductor_kernel(std::string_view kernel) {
  constexpr std::string_view mark = "_fused_";
  // Words of the names of operators: "_unsafe_view" gives "unsafe" and "view".
  constexpr std::array<std::string_view, 17> moving = {"clone",     "copy",    "to",      "permute", "transpose", "t",
                                                       "view",      "unsafe",  "reshape", "expand",  "select",    "slice",
                                                       "unsqueeze", "squeeze", "cat",     "convert", "element"};
  const std::size_t at = kernel.starts_with("triton_") ? kernel.find(mark) : kernel.npos;
  if (at == kernel.npos) return {};
  InductorKernel found;
  bool any = false;
  for (const std::string_view word : split(kernel.substr(at + mark.size()), '_')) {
    const bool is_number = !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (word.empty() || is_number || word == "type") continue;
    found.is_convolution = found.is_convolution || word == "convolution";
    if (word != "convolution" && std::ranges::find(moving, word) == moving.end()) return {};
    found.casts = found.casts || word == "convert" || word == "to";
    any = true;
  }
  found.only_moves = any && !found.is_convolution;
  return found;
}

}  // namespace frx::derive::layout
