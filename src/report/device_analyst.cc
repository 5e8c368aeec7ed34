#include "report/device_analyst.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "base/units.h"
#include "detect/code_rules.h"

namespace frx::report {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;
using model::KernelResources;

// A block of this size represents all possible ones when one number is needed.
constexpr std::uint32_t usual_block = 256;

const derive::KernelOccupancy* typical(const DeviceKernel& kernel) {
  if (kernel.occupancy.empty()) return nullptr;
  const auto at = std::ranges::find(kernel.occupancy, usual_block, &derive::KernelOccupancy::threads_per_block);
  return at == kernel.occupancy.end() ? &kernel.occupancy.front() : &*at;
}

// The facts that data/code_rules/cubin uses; those that the file does not contain are absent.
CodeSubject subject_of(const KernelResources& kernel, const DeviceKernel& device, const std::string& file) {
  CodeSubject subject;
  subject.kernel = kernel.name;
  subject.place.file = file;
  subject.set(Id::architecture, kernel.architecture);
  if (kernel.registers_per_thread) subject.set(Id::registers, static_cast<double>(*kernel.registers_per_thread));
  if (kernel.register_limit) subject.set(Id::register_limit, static_cast<double>(*kernel.register_limit));
  if (kernel.frame_bytes) subject.set(Id::frame_bytes, static_cast<double>(*kernel.frame_bytes));
  if (kernel.spills) {
    subject.set(Id::spill_store_bytes, static_cast<double>(kernel.spills->store_bytes));
    subject.set(Id::spill_load_bytes, static_cast<double>(kernel.spills->load_bytes));
    subject.set(Id::spill_bytes, static_cast<double>(kernel.spills->store_bytes + kernel.spills->load_bytes));
  }
  subject.set(Id::spills_unknown, !kernel.spills.has_value());
  if (kernel.local) subject.set(Id::local_accesses, static_cast<double>(kernel.local->loads + kernel.local->stores));
  if (kernel.static_shared_bytes) subject.set(Id::static_shared_bytes, static_cast<double>(*kernel.static_shared_bytes));
  const derive::KernelOccupancy* at = typical(device);
  if (at && at->occupancy.known()) {
    subject.set(Id::occupancy_pct, *at->occupancy.occupancy_pct);
    subject.set(Id::threads_per_block, static_cast<double>(at->threads_per_block));
    subject.set(Id::occupancy_gpu, device.gpu);
    const auto by_registers = std::ranges::count(at->occupancy.limiters, knowledge::OccupancyLimiter::registers) > 0;
    subject.set(Id::limited_by_registers, by_registers);
  }
  return subject;
}

// Keyed by the member of a static library, since names of kernels may recur in other members.
std::map<std::string_view, diagnose::CompiledKernels> compiled_in(const model::DeviceCode& code) {
  std::map<std::string_view, diagnose::CompiledKernels> compiled;
  for (const KernelResources& kernel : code.kernels) {
    derive::ptx::Compiled numbers;
    numbers.registers = kernel.registers_per_thread;
    numbers.stack_bytes = kernel.frame_bytes;
    if (kernel.spills) {
      numbers.spill_store_bytes = kernel.spills->store_bytes;
      numbers.spill_load_bytes = kernel.spills->load_bytes;
    }
    numbers.source = "the cubin for " + kernel.architecture;
    // The last architecture is the newest, in the order of nvcc.
    compiled[kernel.member].insert_or_assign(kernel.name, std::move(numbers));
  }
  return compiled;
}

// The name that linkers give a member: "libfoo.a(kernels.cu.o)".
std::string file_of(const DeviceReport& report, const model::EmbeddedPtx& ptx) {
  return ptx.member.empty() ? report.source : fmt::format("{}({})", report.source, ptx.member);
}

void add_ptx(const CodeAnalyst& analyst, DeviceReport& report) {
  const std::map<std::string_view, diagnose::CompiledKernels> all = compiled_in(report.code);
  for (const model::EmbeddedPtx& ptx : report.code.ptx) {
    const auto compiled = all.find(ptx.member);
    PtxCompiler compiler;
    if (compiled != all.end()) compiler = [&](const std::string&) -> Result<diagnose::CompiledKernels> { return compiled->second; };
    const std::string name = fmt::format("{} (PTX for {})", file_of(report, ptx), ptx.architecture);
    Result<std::unique_ptr<PtxReport>> analysed = analyst.analyse_ptx(name, std::string(ptx.text), compiler);
    if (analysed)
      report.ptx.push_back(std::move(*analysed));
    else
      report.notes.push_back(fmt::format("PTX for {} left out: {}", ptx.architecture, analysed.error().message));
  }
}

}  // namespace

Result<std::unique_ptr<DeviceReport>> analyse_device_code(const CodeAnalyst& analyst, std::string name, model::DeviceCode code) {
  auto report = std::make_unique<DeviceReport>();
  report->source = std::move(name);
  report->gpu = analyst.gpu();
  report->code = std::move(code);
  report->notes = report->code.notes;
  std::vector<CodeSubject> subjects;
  for (std::size_t i = 0; i < report->code.kernels.size(); ++i) {
    const KernelResources& kernel = report->code.kernels[i];
    DeviceKernel device{i, {}, {}};
    if (const knowledge::SmLimits* limits = derive::limits_for(kernel, analyst.knowledge().gpus, analyst.gpu_limits())) {
      device.gpu = analyst.gpu_limits() ? analyst.gpu() : std::string(limits->family_key);
      device.occupancy = derive::kernel_occupancy(kernel, *limits);
    }
    subjects.push_back(subject_of(kernel, device, report->source));
    report->kernels.push_back(std::move(device));
  }
  detect::RuleTally tally(analyst.cubin_rules());
  report->findings = detect::examine(analyst.cubin_rules(), subjects, "", &tally);
  report->asked = tally.counts();
  add_ptx(analyst, *report);
  return report;
}

}  // namespace frx::report
