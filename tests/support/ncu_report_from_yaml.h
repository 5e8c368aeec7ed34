// A report of Nsight Compute (.ncu-rep) that a person can read at a glance, made into the file.
//
//   tool: 2024.3.2.0
//   device: {name: NVIDIA A100-SXM4-40GB, cc: 8.0, attributes: {multiprocessor_count: 108}}
//   launches:
//     - kernel: "axpy(float *, int)"
//       grid: [108, 1, 1]
//       block: [256, 1, 1]
//       metrics: {gpu__time_duration.sum: 12345.0, launch__registers_per_thread: 32, smsp__x: nan, smsp__y: ~}
//       instances: {smsp__pcsamp_warps_issue_stalled_long_scoreboard: {0x10: 30, 0x20: 5}}
//       rules: [{id: SOLBottleneck, section: SpeedOfLight, text: "Look at DRAM", speedup: {global: 12.5}}]
//
// A value with a point is a double, a whole number a uint64, `~` absent, anything else a text; {float: 1},
// {double: 1}, {uint32: 7} and {text: "12"} say it outright. A kernel without parentheses has no demangled name,
// and a metric that has only instances is their sum, as in real files. What is known of the device stands in
// every launch, too. Facts of the session follow the first launch. Every key:
//
//   report     tool versions{} device process created command_line sources[] launches[]
//              late_names[]: metrics whose names the end of the file declares
//              session_first, grid_in_threads (<= 2020.2), unknown_fields: true or false
//              cut_at: bytes that are left of the file
//   device     id name cc attributes{}             names without "device__attribute_"
//   process    id name host windows, or none (2019)
//   source     reference sm ptx cubin (base64) functions{mangled: address} files{path: text}
//   launch     kernel, or function mangled demangled; grid[] block[] context stream (or none) thread call created
//              source process metrics{} instances{metric: {correlation: value}} series[] (over time)
//              sections[] or {identifier: name}; rules[]; host_stack[] of names or {function, module}
//              nvtx, nvtx_started: [outer, inner] or {domain: [outer, inner]}
//   rule       id name section, speedup {local: %} or {global: %}, markers{address: text}
//              text type title, or messages[] of these; type: opt inf wrn err none
//              focus{metric: value}, or [] of metric value severity advice
#pragma once

#include <string>

#include "base/result.h"

namespace frx::testing {

// The bytes of the report. The error names the line of the YAML; `name` is how it is called there.
Result<std::string> ncu_report_from_yaml(const std::string& name, const std::string& yaml);

}  // namespace frx::testing
