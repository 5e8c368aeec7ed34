#include "derive/layout/graph_operators.h"

#include <algorithm>
#include <unordered_map>

namespace frx::derive::layout {
namespace {

bool changes_sizes(std::string_view plain) {
  return plain.ends_with("view") || plain.find("reshape") != plain.npos || plain == "flatten" || plain == "unflatten" || plain == "ravel";
}

Accepts accepted_by(std::string_view name, OperatorFamily family) {
  const std::string_view plain = plain_name(name);
  if (changes_sizes(plain)) return Accepts::contiguous;
  switch (family) {
    case OperatorFamily::convolution:
    case OperatorFamily::pooling:
    case OperatorFamily::elementwise:
    case OperatorFamily::filling:
    case OperatorFamily::copying:
    case OperatorFamily::resampling:
    case OperatorFamily::reduction:
    case OperatorFamily::concatenation: return Accepts::both;
    case OperatorFamily::normalisation: return plain.find("batch_norm") != plain.npos ? Accepts::both : Accepts::contiguous;
    default: break;
  }
  return role_of(name) == OperatorRole::view ? Accepts::both : Accepts::current;
}

}  // namespace

bool is_picture(const Dimensions& sizes) {
  if (sizes.size() != 4 && sizes.size() != 5) return false;
  double pixels = 1;
  for (std::size_t i = 2; i < sizes.size(); ++i) pixels *= static_cast<double>(sizes[i]);
  return sizes[1] > 1 && pixels > 1 && sizes[0] > 0;
}

ConversionCost whole_cost(double bytes) { return bytes > 0 ? static_cast<ConversionCost>(std::min(bytes, 1e15)) : 0; }

bool is_operator(const LayoutTrace& trace, std::uint32_t node) {
  return trace.name(node).starts_with("aten::") || trace.nodes()[node].role == OperatorRole::custom;
}

OperatorPlaces::OperatorPlaces(const LayoutTrace& trace) : outermost(trace.nodes().size()), is_backward(trace.nodes().size()) {
  for (std::uint32_t node = 0; node < outermost.size(); ++node) {
    const std::uint32_t parent = trace.nodes()[node].parent;
    outermost[node] = parent != none && is_operator(trace, parent) ? outermost[parent] : node;
    is_backward[node] = trace.nodes()[node].role == OperatorRole::autograd || (parent != none && is_backward[parent]);
  }
}

std::uint32_t busiest_track(const LayoutTrace& trace, const OperatorPlaces& places) {
  std::unordered_map<std::uint32_t, std::size_t> convolutions;
  std::uint32_t busiest = none;
  std::size_t most = 0;
  for (std::uint32_t node = 0; node < trace.nodes().size(); ++node) {
    const OperatorNode& one = trace.nodes()[node];
    if (one.step != 0 || one.role != OperatorRole::convolution || places.is_backward[node]) continue;
    const std::uint32_t track = trace.timeline().track[one.row];
    if (++convolutions[track] > most) {
      most = convolutions[track];
      busiest = track;
    }
  }
  return busiest;
}

std::uint32_t forward_operator(const LayoutTrace& trace, const OperatorPlaces& places, std::uint32_t node) {
  if (!places.is_backward[node]) return places.outermost[node];
  for (const std::uint32_t work : trace.all_work(node)) {
    const std::uint32_t forward = trace.node_of_row(trace.backward().forward[work]);
    if (forward != none) return places.outermost[forward];
  }
  return none;
}

OperatorKind::OperatorKind(std::string_view name)
    : family(family_of(name)), accepts(accepted_by(name, family)), has_other_sizes(changes_sizes(plain_name(name))) {}

}  // namespace frx::derive::layout
