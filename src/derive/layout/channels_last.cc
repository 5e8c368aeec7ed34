#include "derive/layout/channels_last.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "derive/layout/traffic.h"
#include "derive/layout/view_chains.h"

namespace frx::derive::layout {
namespace {

constexpr std::int64_t few_channels = 4;
constexpr std::int64_t short_ns = 10'000;

enum class Fit : std::uint8_t { other, channels_last, eligible, depthwise, few, double_precision };

struct Convolution {
  std::uint32_t outer = none, inner = none;  // conv2d, and the operator in it that launched the kernels
  Fit fit = Fit::other;
  bool is_known_nchw = false;  // by strides
  bool has_nhwc_kernel = false, has_nchw_kernel = false;
  bool is_small = false;  // of one image, and short
};

bool is_forward(const LayoutTrace& trace, std::uint32_t node) { return trace.name(node).find("ackward") == std::string_view::npos; }

// Blocks of channels that the kernels of tensor cores take; 0: none take the type.
std::int64_t channel_block(std::string_view type, const ConvolutionGpu& gpu) {
  const bool is_half = type == "float16" || type == "bfloat16";
  if (is_half && (!gpu.cc || gpu.cc->major >= 7)) return 8;
  return type == "float32" && gpu.cc && gpu.cc->major >= 8 ? 4 : 0;
}

Fit fit_of(const RecordedTensor& input, const RecordedTensor& weight, const ConvolutionGpu& gpu) {
  const std::size_t rank = input.shape.size();
  if ((rank != 4 && rank != 5) || weight.shape.size() != rank || weight.shape[1] <= 0) return Fit::other;
  if (input.type == "float64") return Fit::double_precision;
  const std::int64_t in = input.shape[1], out = weight.shape[0], groups = in / weight.shape[1];
  if (groups > 1 && groups == in) return Fit::depthwise;
  if (in <= few_channels) return Fit::few;
  if (input.strides && layout_of(input.shape, *input.strides) == LayoutClass::channels_last) return Fit::channels_last;
  if (input.strides && layout_of(input.shape, *input.strides) != LayoutClass::contiguous) return Fit::other;
  const std::int64_t block = channel_block(input.type, gpu);
  const bool is_aligned = block > 0 && in % block == 0 && out % block == 0 && weight.shape[1] % block == 0;
  return is_aligned ? Fit::eligible : Fit::other;
}

bool names_nchw(std::string_view kernel) {
  constexpr std::array words = {"_nchw_", "nchw_nchw", "implicit_convolve_sgemm", "scudnn", "winograd", "implicit_sgemm"};
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(kernel, word); });
}

// What the name of a kernel says of the layout that it works in.
struct KernelLayout {
  bool is_known = false, is_nhwc = false, is_nchw = false;
};

class ConvolutionFinder {
 public:
  ConvolutionFinder(const LayoutTrace& trace, const ConvolutionGpu& gpu)
      : trace_(trace), gpu_(gpu), layouts_(trace.timeline().names.size()) {}

  std::vector<Convolution> find() {
    std::vector<Convolution> all;
    for (std::uint32_t node = 0; node < trace_.nodes().size(); ++node) {
      const OperatorNode& one = trace_.nodes()[node];
      if (one.step == none || one.role != OperatorRole::convolution || !is_forward(trace_, node)) continue;
      if (one.parent != none && trace_.nodes()[one.parent].role == OperatorRole::convolution) continue;
      all.push_back(read(node));
    }
    return all;
  }

 private:
  const KernelLayout& layout_by_name(std::uint32_t work) {
    KernelLayout& layout = layouts_[trace_.timeline().name[trace_.attribution().work[work].event]];
    if (layout.is_known) return layout;
    const std::string_view kernel = trace_.kernel_name(work);
    const bool converts = contains_ignoring_case(kernel, "nchwtonhwc") || contains_ignoring_case(kernel, "nhwctonchw");
    layout = {true, !converts && contains_ignoring_case(kernel, "nhwc"), !converts && names_nchw(kernel)};
    return layout;
  }

  Convolution read(std::uint32_t outer) {
    Convolution convolution{outer, outer};
    for (std::uint32_t at = outer; at < trace_.nodes()[outer].end; ++at) {
      if (trace_.nodes()[at].role == OperatorRole::convolution && !trace_.own_work(at).empty()) convolution.inner = at;
    }
    for (const std::uint32_t work : trace_.all_work(outer)) {
      const KernelLayout& layout = layout_by_name(work);
      convolution.has_nhwc_kernel = convolution.has_nhwc_kernel || layout.is_nhwc;
      convolution.has_nchw_kernel = convolution.has_nchw_kernel || layout.is_nchw;
    }
    const RecordedInputs* const inputs = trace_.inputs(convolution.inner);
    const RecordedTensor* const input = inputs ? tensor_at(*inputs, 0) : nullptr;
    const RecordedTensor* const weight = inputs ? tensor_at(*inputs, 1) : nullptr;
    if (!input || !weight) return convolution;
    convolution.fit = fit_of(*input, *weight, gpu_);
    convolution.is_small = !input->shape.empty() && input->shape.front() == 1 && trace_.gpu_time(outer) < short_ns;
    convolution.is_known_nchw = input->strides && layout_of(input->shape, *input->strides) == LayoutClass::contiguous;
    return convolution;
  }

  const LayoutTrace& trace_;
  const ConvolutionGpu& gpu_;
  std::vector<KernelLayout> layouts_;  // by name of the timeline
};

ConvolutionCounts counted(const LayoutTrace& trace, const std::vector<Convolution>& convolutions) {
  const auto per_step = [&](Fit fit) {
    return trace.per_step(static_cast<double>(std::ranges::count(convolutions, fit, &Convolution::fit)));
  };
  return {trace.per_step(static_cast<double>(convolutions.size())),
          per_step(Fit::channels_last),
          per_step(Fit::eligible),
          per_step(Fit::depthwise),
          per_step(Fit::few),
          per_step(Fit::double_precision),
          trace.per_step(static_cast<double>(std::ranges::count(convolutions, true, &Convolution::is_small)))};
}

// Everything under convolutions of both passes that only converts layouts, and what libraries convert where the recording lost the call.
Candidate of_conversions(const LayoutTrace& trace, std::span<const Copy> copies, bool pads) {
  Candidate found;
  double bytes = 0, time = 0;
  bool knows_bytes = true;
  for (const Copy& copy : copies) {
    const bool is_under = copy.origin != CopyOrigin::eager && copy.hot != none && trace.nodes()[copy.hot].role == OperatorRole::convolution;
    const bool lost_call = copy.origin == CopyOrigin::library && copy.node == none;
    if ((!is_under && !lost_call) || copy.pads_channels != pads) continue;
    if (!lost_call) found.nodes.push_back(copy.node);
    found.removed_work.insert(found.removed_work.end(), copy.work.begin(), copy.work.end());
    time += copy.time_ns;
    knows_bytes = knows_bytes && copy.bytes.has_value();
    bytes += copy.bytes.value_or(0);
  }
  if (found.nodes.empty()) return {};
  found.facts["conversions_per_step"] = trace.per_step(static_cast<double>(found.removed_work.size()));
  const auto twins = std::ranges::unique(found.nodes);
  found.nodes.erase(twins.begin(), twins.end());
  found.node = found.nodes.front();
  found.detector = "channels_last";
  found.count = trace.per_step(static_cast<double>(found.nodes.size()));
  found.time_ns = trace.per_step(time);
  if (knows_bytes) found.bytes = trace.per_step(bytes);
  found.saving = SavedPerStep{found.time_ns, found.time_ns, found.bytes.value_or(0), found.bytes.value_or(0), false};
  found.confidence = 0.9;
  return found;
}

// The least time of a convolution on tensor cores, in ns; nothing where its operations, its bytes or the peaks are not known.
std::optional<double> roofline_ns(const LayoutTrace& trace, const Convolution& convolution, const GpuPeaks& peaks) {
  const std::optional<OperatorTraffic> traffic = traffic_of(trace, convolution.inner);
  const RecordedInputs* const inputs = trace.inputs(convolution.inner);
  const RecordedTensor* const input = inputs ? tensor_at(*inputs, 0) : nullptr;
  if (!traffic || !traffic->flops || traffic->is_lower_bound || !input || !peaks.bandwidth_bytes_per_s) return std::nullopt;
  const std::optional<double> flops = input->type == "float32" ? peaks.tf32_flops : peaks.tensor16_flops;
  if (!flops) return std::nullopt;
  return 1e9 * std::max(*traffic->flops / *flops, traffic->bytes_low / *peaks.bandwidth_bytes_per_s);
}

// The convolutions that count, as one finding.
std::optional<Candidate> of_convolutions(const LayoutTrace& trace, const std::vector<Convolution>& convolutions, bool by_kernels,
                                         const GpuPeaks& peaks) {
  Candidate found;
  double time = 0, saved = 0;
  bool knows_saved = by_kernels;
  for (const Convolution& one : convolutions) {
    if (one.fit != Fit::eligible || one.has_nhwc_kernel) continue;
    if (by_kernels ? !one.has_nchw_kernel : one.has_nchw_kernel) continue;
    if (!by_kernels && !one.is_known_nchw) continue;  // without strides the tensors may be channels-last already
    found.nodes.push_back(one.outer);
    const double own = static_cast<double>(trace.gpu_time(one.outer));
    time += own;
    const std::optional<double> least = knows_saved ? roofline_ns(trace, one, peaks) : std::nullopt;
    knows_saved = least.has_value();
    saved += std::max(own - least.value_or(own), 0.0);
    const std::span<const std::uint32_t> work = trace.all_work(one.outer);
    if (by_kernels) found.removed_work.insert(found.removed_work.end(), work.begin(), work.end());
  }
  if (found.nodes.empty()) return std::nullopt;
  found.detector = "channels_last";
  found.pattern = by_kernels ? "by_kernels" : "by_shapes";
  found.node = found.nodes.front();
  found.count = trace.per_step(static_cast<double>(found.nodes.size()));
  found.time_ns = trace.per_step(time);
  if (knows_saved) found.saving = SavedPerStep{0, trace.per_step(saved), 0, 0, false};
  if (!knows_saved) found.removed_work.clear();  // a finding about the same kernels that has a number is worth more
  found.confidence = by_kernels ? 0.6 : 0.4;
  return found;
}

const RecordedTensor* picture_of(const LayoutTrace& trace, std::uint32_t node) {
  const RecordedInputs* const inputs = trace.inputs(node);
  const RecordedTensor* const first = inputs ? tensor_at(*inputs, 0) : nullptr;
  return first && first->strides && (first->shape.size() == 4 || first->shape.size() == 5) ? first : nullptr;
}

// An operator on a channels-last tensor, and right after it one on a tensor of the same sizes that is not: the first one dropped the
// layout.
Candidate layout_losses(const LayoutTrace& trace) {
  Candidate found;
  std::uint32_t before = none;
  double lost = 0;
  for (std::uint32_t node = 0; node < trace.nodes().size(); ++node) {
    const OperatorNode& one = trace.nodes()[node];
    if (one.step == none || !trace.is_called_by_program(node) || one.role == OperatorRole::autograd) continue;
    const RecordedTensor* const now = picture_of(trace, node);
    if (!now) continue;
    const RecordedTensor* const then = before == none ? nullptr : picture_of(trace, before);
    const bool follows = then && trace.timeline().track[trace.nodes()[before].row] == trace.timeline().track[one.row] &&
                         trace.nodes()[before].step == one.step && then->shape == now->shape;
    const bool is_lost = follows && layout_of(then->shape, *then->strides) == LayoutClass::channels_last &&
                         layout_of(now->shape, *now->strides) == LayoutClass::contiguous;
    const OperatorRole role = before == none ? OperatorRole::other : trace.nodes()[before].role;
    // Of these the result has the sizes of the input.
    const bool keeps_sizes = role == OperatorRole::elementwise || role == OperatorRole::normalisation || role == OperatorRole::pooling ||
                             role == OperatorRole::convolution || role == OperatorRole::softmax || role == OperatorRole::custom;
    if (is_lost && keeps_sizes) {
      found.nodes.push_back(before);
      lost += 1;
      found.words.try_emplace("operator", std::string(plain_name(trace.name(before))));
      found.words.try_emplace("consumer", std::string(plain_name(trace.name(node))));
      found.words.try_emplace("sizes", text_of(now->shape));
    }
    before = node;
  }
  if (found.nodes.empty()) return found;
  found.detector = "channels_last";
  found.pattern = "layout_loss";
  found.node = found.nodes.front();
  found.count = trace.per_step(lost);
  found.confidence = 0.7;
  return found;
}

void add_caveats(const LayoutTrace& trace, const ConvolutionCounts& counts, Candidate& found) {
  bool has_custom = false;
  std::size_t views = 0;
  for (std::uint32_t node = 0; node < trace.nodes().size(); ++node) {
    if (trace.nodes()[node].step == none) continue;
    has_custom = has_custom || trace.nodes()[node].role == OperatorRole::custom;
    views += trace.name(node) == "aten::view" && trace.is_called_by_program(node) && picture_of(trace, node) != nullptr;
  }
  if (views > 0) {
    found.facts["views_of_images"] = static_cast<double>(views);
    found.caveats.emplace_back("view() on images fails on channels-last tensors; reshape() and flatten() do not");
  }
  if (counts.small > counts.all / 2)
    found.caveats.emplace_back("most convolutions are of one image and take less than 10 us: their launches may be what they cost");
  if (has_custom) found.caveats.emplace_back("custom operators may expect NCHW");
  if (counts.depthwise > 0) found.caveats.emplace_back("depthwise convolutions gain less, or lose");
  if (counts.few_channels > 0) found.caveats.emplace_back("the first layer, of few channels, gains nothing");
}

// As torch calls it.
std::string format_for(const LayoutTrace& trace, std::uint32_t node) {
  const RecordedInputs* const inputs = trace.inputs(node);
  const RecordedTensor* const first = inputs ? tensor_at(*inputs, 0) : nullptr;
  return first && first->shape.size() == 5 ? "channels_last_3d" : "channels_last";
}

}  // namespace

ChannelsLast channels_last(const LayoutTrace& trace, std::span<const Copy> copies, const ConvolutionGpu& gpu) {
  ChannelsLast answer;
  const std::vector<Convolution> convolutions = ConvolutionFinder(trace, gpu).find();
  answer.counts = counted(trace, convolutions);
  const bool has_channels_last = answer.counts.channels_last > 0;
  Candidate measured = of_conversions(trace, copies, false);
  if (!measured.removed_work.empty()) {
    measured.pattern = "measured";
    answer.found.push_back(std::move(measured));
  } else if (gpu.cc && trace.has_gpu_work()) {
    std::optional<Candidate> found = of_convolutions(trace, convolutions, true, gpu.peaks);
    if (!found) found = of_convolutions(trace, convolutions, false, gpu.peaks);
    if (found) answer.found.push_back(std::move(*found));
  } else if (answer.counts.all > 0 && !has_channels_last) {
    answer.not_assessed = trace.has_gpu_work() ? "the GPU is not known: name it with --gpu-model" : "no GPU work was recorded";
  }
  Candidate padded = of_conversions(trace, copies, true);
  if (!padded.removed_work.empty()) {
    padded.pattern = "padding";
    answer.found.push_back(std::move(padded));
  }
  Candidate lost = layout_losses(trace);
  if (!lost.nodes.empty()) answer.found.push_back(std::move(lost));
  for (Candidate& found : answer.found) found.words["format"] = format_for(trace, found.node);
  for (Candidate& found : answer.found) add_caveats(trace, answer.counts, found);
  return answer;
}

}  // namespace frx::derive::layout
