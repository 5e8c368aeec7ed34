// Running a model for Nsight Systems, Nsight Compute and torch.profiler: the command lines, and what is missing for them.
//
// A script that has get_model_and_input() is run by `python -m fournex.operators.run_workload`, in a window that all three record
// (docs/operators.md); any other script is run as it is, from its beginning to its end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/host.h"

namespace frx::capture {

struct OperatorWorkload {
  std::string python = "python", script;
  std::vector<std::string> arguments;  // of the script
  bool has_contract = false;           // the script has get_model_and_input()
  std::string prefix;                  // of the files that the run writes
  std::string backend;                 // of torch.compile; "": eager
  std::string inductor_folder;
  std::uint64_t warmup_iterations = 2, measured_iterations = 2;
  bool leaves_clocks = false;  // does not lock the clocks of the GPU
};

// Whether a Python source defines, assigns or imports get_model_and_input.
bool has_workload_contract(std::string_view source);

std::vector<std::string> workload_command(const OperatorWorkload& workload, bool is_correlation_pass = false);

// By which kernels of CUDA graphs are recorded, too; the window alone where the workload marks one, and the program lives on behind it to
// write its files.
std::vector<std::string> nsys_command(const std::string& nsys, const std::string& output, const OperatorWorkload& workload);

struct NcuReplay {
  std::string ncu = "ncu", report;  // written as `report`
  std::vector<std::string> counters;
  std::vector<std::string> left_out;  // texts of ranges: layers that another one stands for
  bool with_sudo = false;
  bool replays_kernels = false;                                  // each kernel by itself, instead of the program as a whole
  std::vector<std::pair<std::string, std::string>> environment;  // also where sudo drops it
  OperatorWorkload workload;
};

std::vector<std::string> ncu_replay_command(const NcuReplay& replay);

// What `ncu --query-metrics` lists, without suffixes; empty where it cannot say.
std::vector<std::string> counters_known_to(const std::string& ncu, const Host& host);

// Runs it with its output on our standard error. Environment errors name the tool and how it ended; an hour at most.
Result<> run_tool(std::string_view what, const std::vector<std::string>& argv, const Host& host,
                  const std::vector<std::pair<std::string, std::string>>& environment = {});

// Environment errors in one line, with how to get what is missing.
Result<std::string> find_nsys(const std::string& called, const Host& host);
Result<std::string> find_ncu_called(const std::string& called, const Host& host);
// The first of two that are needed, and the second; one error that names all that is missing.
Result<std::pair<std::string, std::string>> both(Result<std::string> first, Result<std::string> second);
// With `needs_torch`, one that can import PyTorch and fournex.
Result<std::string> find_python(bool needs_torch, const Host& host);

}  // namespace frx::capture
