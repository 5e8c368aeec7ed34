#include "capture/operator_tools.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "capture/fake_host.h"
#include "capture/ncu_command.h"

namespace frx::capture {
namespace {

TEST(OperatorTools, AContractIsSeenInTheSource) {
  EXPECT_TRUE(has_workload_contract("import torch\ndef get_model_and_input():\n  pass\n"));
  EXPECT_TRUE(has_workload_contract("get_model_and_input = make()\n"));
  EXPECT_TRUE(has_workload_contract("from models import get_model_and_input\n"));
  EXPECT_FALSE(has_workload_contract("# get_model_and_input is for others\nmodel(get_model_and_input())\n"));
  EXPECT_FALSE(has_workload_contract(""));
}

OperatorWorkload workload(bool has_contract) {
  OperatorWorkload made;
  made.script = "net.py";
  made.prefix = "runs/net";
  made.has_contract = has_contract;
  return made;
}

TEST(OperatorTools, AWindowIsRecordedWhereThereIsOne) {
  EXPECT_EQ(
      shell_line(nsys_command("nsys", "runs/net", workload(true))),
      "nsys profile --trace=cuda,nvtx --cuda-graph-trace=node --capture-range=cudaProfilerApi --capture-range-end=stop --output runs/net "
      "--force-overwrite true python -m fournex.operators.run_workload --workload net.py --warmup-iters 2 --measure-iters 2 "
      "--output-prefix runs/net");
  OperatorWorkload script = workload(false);
  script.arguments = {"--batch", "8"};
  EXPECT_EQ(shell_line(nsys_command("nsys", "runs/net", script)),
            "nsys profile --trace=cuda,nvtx --cuda-graph-trace=node --output runs/net --force-overwrite true python net.py --batch 8");
}

TEST(OperatorTools, NcuReplaysTheSameWindowWithoutLayersThatAnotherStandsFor) {
  NcuReplay replay;
  replay.report = "out/all_kernels.ncu-rep";
  replay.counters = {"a.sum", "b.sum"};
  replay.left_out = {"layer::duplicate::blocks.1", "nn.Module: odd/name"};
  replay.workload = workload(true);
  EXPECT_EQ(shell_line(ncu_replay_command(replay)),
            "ncu --profile-from-start off --replay-mode application --app-replay-match name --app-replay-mode relaxed --clock-control none "
            "--target-processes application-only --nvtx --nvtx-exclude layer::duplicate::blocks.1/ --nvtx-exclude "
            "'nn.Module: odd\\/name/' --metrics a.sum,b.sum --export out/all_kernels.ncu-rep --force-overwrite python -m "
            "fournex.operators.run_workload --workload net.py --warmup-iters 2 --measure-iters 2 --output-prefix runs/net");
  replay.left_out.clear();
  replay.replays_kernels = true;
  replay.workload.leaves_clocks = true;
  EXPECT_EQ(shell_line(ncu_replay_command(replay)),
            "ncu --profile-from-start off --replay-mode kernel --clock-control none --target-processes application-only --metrics "
            "a.sum,b.sum --export out/all_kernels.ncu-rep --force-overwrite python -m fournex.operators.run_workload --workload net.py "
            "--warmup-iters 2 --measure-iters 2 --output-prefix runs/net --no-lock-clocks");
  replay.replays_kernels = false;
  replay.with_sudo = true;
  replay.environment = {{"PYTHONPATH", "/repo"}};
  replay.workload = workload(false);
  EXPECT_TRUE(shell_line(ncu_replay_command(replay)).starts_with("sudo -E env PYTHONPATH=/repo ncu --replay-mode application"));
}

TEST(OperatorTools, WhatIsMissingIsSaidInOneLine) {
  FakeHost host;
  EXPECT_EQ(find_nsys("nsys", host).error().message, "Nsight Systems ('nsys') was not found");
  EXPECT_EQ(find_ncu_called("ncu", host).error().kind, ErrorKind::environment);
  EXPECT_EQ(find_python(true, host).error().message, "python was not found");
  host.programs["python3"] = "/bin/python3";
  EXPECT_EQ(*find_python(false, host), "/bin/python3");
  host.answers["/bin/python3 -c"] = FakeHost::said("", 1);
  EXPECT_EQ(find_python(true, host).error().message, "/bin/python3 cannot import torch");
}

TEST(OperatorTools, CountersAreThoseThatNcuLists) {
  FakeHost host;
  host.answers["/bin/ncu --query-metrics"] =
      FakeHost::said("Device NVIDIA H100\n------\nMetric Name  Type\ndram__bytes_read   Counter  bytes\nsm__throughput  Throughput\n");
  EXPECT_EQ(counters_known_to("/bin/ncu", host), (std::vector<std::string>{"dram__bytes_read", "sm__throughput"}));
  host.answers["/bin/ncu --query-metrics"] = FakeHost::said("", 1);
  EXPECT_TRUE(counters_known_to("/bin/ncu", host).empty());
}

}  // namespace
}  // namespace frx::capture
