#include "report/recorder_words.h"

namespace frx::report {
namespace {

constexpr RecorderWords pytorch_profiler = {
    .shapes = "record_shapes=True does",
    .operators = "activities=[ProfilerActivity.CPU, ...] does",
    .gpu = "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] does",
    .steps = "call prof.step() after each one, or name them with record_function",
    .occupancy = "the profiler writes it since PyTorch 1.9",
};

constexpr RecorderWords nsight_systems = {
    .shapes = "torch.autograd.profiler.emit_nvtx(record_shapes=True) does, around the model",
    .operators = "torch.autograd.profiler.emit_nvtx() does for PyTorch, NVTX ranges do for other programs",
    .gpu = "nsys profile --trace=cuda,nvtx does",
    .steps = "put an NVTX range around each, called \"step 1\", \"step 2\" (torch.cuda.nvtx.range_push, nvtxRangePush)",
    .occupancy = "Nsight Systems records none; frx profile -- COMMAND measures it with Nsight Compute",
};

}  // namespace

const RecorderWords& recorder_words(model::Recorder recorder) {
  return recorder == model::Recorder::nsight_systems ? nsight_systems : pytorch_profiler;
}

}  // namespace frx::report
