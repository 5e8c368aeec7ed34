#include "compose/operator_replay.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"

namespace frx::compose {
namespace {

using derive::trace::RecordedInput;
using derive::trace::RecordedTensor;
using report::OperatorReplay;
using report::ReplayShape;

// "(8, 128)", and "(8,)", which is a list of one.
std::string tuple_of(const std::vector<std::int64_t>& numbers) {
  return numbers.size() == 1 ? fmt::format("({},)", numbers.front()) : fmt::format("({})", fmt::join(numbers, ", "));
}

std::string tensor_text(const RecordedTensor& tensor) {
  std::string text = "tensor(" + tuple_of(tensor.shape);
  if (!tensor.type.empty()) text += fmt::format(", \"{}\"", tensor.type);
  if (tensor.strides) text += fmt::format(", {}{}", tensor.type.empty() ? "strides=" : "", tuple_of(*tensor.strides));
  return text + ")";
}

std::string input_text(const RecordedInput& input) {
  switch (input.kind) {
    case RecordedInput::Kind::tensor: return tensor_text(input.tensors.front());
    case RecordedInput::Kind::tensors: {
      std::vector<std::string> items;
      for (const RecordedTensor& tensor : input.tensors) items.push_back(tensor_text(tensor));
      return "[" + join(items, ", ") + "]";
    }
    case RecordedInput::Kind::value: return input.text;
    case RecordedInput::Kind::number: return "missing(\"number\")";
    case RecordedInput::Kind::list: return "missing(\"list\")";
    case RecordedInput::Kind::unnamed:
    case RecordedInput::Kind::refused: break;
  }
  return "missing()";
}

// What the recording does not say, and what the script assumes instead; comments.
std::string assumptions(const OperatorReplay& replay) {
  const auto any = [&](auto is_so) {
    return std::ranges::any_of(replay.shapes, [&](const ReplayShape& one) { return is_so(one.inputs); });
  };
  std::string text;
  if (any([](const auto& inputs) { return !inputs.has_types; })) {
    text += "# Types were not recorded: float32 is assumed, int64 for indices and bool for conditions.";
    text += replay.is_by_nsight_systems ? " Nsight Systems records shapes alone;\n# the PyTorch profiler records types.\n"
                                        : "\n# PyTorch 1.9 and newer record them, with record_shapes=True.\n";
  }
  if (any([](const auto& inputs) { return !inputs.has_strides; })) {
    text += "# Strides were not recorded: tensors are contiguous. PyTorch 2.2 and newer record them, with record_shapes=True.\n";
  }
  if (any([](const auto& inputs) { return !inputs.has_values; })) {
    text +=
        "# Values of numbers were not recorded: missing(\"number\"). The script takes the default of the operator, or a usual value, and "
        "says\n"
        "# so; --set NAME=VALUE gives another one. PyTorch 2.1 and newer record them, with record_shapes=True.\n";
  }
  const auto has_unnamed = [](const auto& inputs) { return inputs.count(RecordedInput::Kind::unnamed) > 0; };
  if (any(has_unnamed)) {
    text += "# missing(): None, a text, a device or a list of which the profiler records nothing. The script takes the default, or None.\n";
  }
  return text;
}

std::string header(const OperatorReplay& replay, const ReplayRuns& runs) {
  return fmt::format(R"(#!/usr/bin/env python3
# Runs one operator of a recorded program with random inputs of the recorded shapes, strides and types. It needs PyTorch, and nothing of
# the model. Written by: frx operators replay.
#
#   python3 replay.py                        median and quartiles beside the recorded time
#   python3 replay.py --help                 iterations, warm-up, device, seed
#
# The measured runs stand between cudaProfilerStart and cudaProfilerStop, each in a range frx::measure#N:
#
#   ncu --profile-from-start off --set full --export replay python3 replay.py --iterations 1
#   nsys profile --trace=cuda,nvtx --capture-range=cudaProfilerApi --capture-range-end=stop --output replay python3 replay.py
#
{}
import argparse
import ast
import importlib
import itertools
import json
import math
import sys
import time

import torch

OPERATOR = {}
TRACE = {}
GPU = {}
MODULES = [{}]
RECORDED_ON_GPU = {}
ITERATIONS, WARMUP = {}, {}

)",
                     assumptions(replay), python_literal(replay.name), python_literal(replay.source), python_literal(replay.gpu),
                     replay.module.empty() ? "" : python_literal(replay.module), replay.on_gpu ? "True" : "False", runs.iterations,
                     runs.warmup);
}

std::string inputs_function(const ReplayShape& shape, std::size_t number) {
  std::string text = fmt::format("\ndef inputs_{}():\n    # Recorded: {}, {} together; call {} took {}.\n    return [\n", number,
                                 count_text(shape.calls, "call"), format_quantity(static_cast<double>(shape.all_ns), "ns"), shape.call,
                                 format_quantity(static_cast<double>(shape.call_ns), "ns"));
  for (const RecordedInput& input : shape.inputs.inputs) text += fmt::format("        {},\n", input_text(input));
  return text + "    ]\n\n";
}

std::string table_of_calls(const std::vector<ReplayShape>& shapes) {
  std::string text = "\nCALLS = [\n";
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const ReplayShape& one = shapes[i];
    text += fmt::format("    {{\"inputs\": inputs_{}, \"calls\": {}, \"call\": {}, \"recorded_ns\": {}, \"all_recorded_ns\": {}", i,
                        one.calls, one.call, one.call_ns, one.all_ns);
    if (one.flops) text += fmt::format(", \"flops\": {:.0f}", *one.flops);
    if (one.bytes) text += fmt::format(", \"bytes\": {:.0f}", *one.bytes);
    text += "},\n";
  }
  return text + "]\n\n";
}

}  // namespace

std::string python_literal(std::string_view text) {
  std::string literal = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length > 1) {
      std::uint32_t code = byte & (0x7Fu >> length);
      for (std::size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
      literal += fmt::format("\\U{:08x}", code);
    } else if (byte == '"' || byte == '\\') {
      literal += {'\\', text[at]};
    } else if (byte >= 0x20 && byte < 0x7F) {
      literal += text[at];
    } else {
      literal += fmt::format("\\x{:02x}", byte);
    }
    at += std::max<std::size_t>(1, length);
  }
  return literal + "\"";
}

std::string replay_script_of(const OperatorReplay& replay, const ReplayRuns& runs) {
  std::string script = header(replay, runs);
  for (std::size_t i = 0; i < replay.shapes.size(); ++i) script += inputs_function(replay.shapes[i], i);
  script += table_of_calls(replay.shapes);
  script += replay_script_text;
  return script;
}

}  // namespace frx::compose
