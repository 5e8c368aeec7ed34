// All that the detectors of layouts find in a trace, before it is judged and worded.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "derive/layout/channels_last.h"
#include "derive/layout/copy_detectors.h"
#include "derive/layout/memory_bound.h"
#include "derive/layout/sites.h"
#include "knowledge/layout_detectors.h"
#include "model/dynamo_log.h"
#include "report/layout/layout_gpu.h"

namespace frx::report {

struct LayoutCandidates {
  std::vector<derive::layout::Candidate> all;          // by detector, in the order of docs/layout.md
  std::unique_ptr<const derive::layout::Sites> sites;  // of all of them; what describes a site is of the operators that show one
  std::map<std::string_view, std::string> refused;     // by detector: why it did not answer
  std::vector<std::string> unstable_unasked;           // what was not asked about strides, in sentences
  derive::layout::LatentInputs latent;
  derive::layout::ConvolutionCounts convolutions;
  std::array<derive::layout::BoundCount, derive::layout::bound_classes> kernel_classes = {};
  bool classes_assessed = false;
};

// What the detectors look at.
struct LayoutSubject {
  const derive::layout::LayoutTrace& trace;
  std::span<const derive::layout::Copy> copies;
  const derive::layout::WorkTraffic& traffic;
  const KnownGpu& gpu;
  const model::DynamoLog* log = nullptr;                         // what torch.compile wrote about itself; null: there is none
  const derive::layout::TensorIdentities* identities = nullptr;  // null without an execution trace
};

LayoutCandidates layout_candidates(const LayoutSubject& subject, const knowledge::LayoutKnowledge& detectors);

}  // namespace frx::report
