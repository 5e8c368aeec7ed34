// frx layout analyze: what the layout of tensors costs a program, and what to change first.

#include <charconv>
#include <chrono>
#include <filesystem>

#include "analyse/layout.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/layout_commands.h"
#include "cli/print_answer.h"
#include "compose/layout.h"

namespace frx::cli {
namespace command_layout_analyze {
namespace {

struct Options {
  LayoutOptions layout;
  std::string format = "text";
  bool json = false, markdown = false, open = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Reads a trace of the PyTorch profiler and finds where tensors are copied, converted or read across the order in which they lie in "
      "memory because of their "
      "layout: copies inside of products and convolutions, contiguous() again and again, chains of permutations, NCHW convolutions, "
      "kernels of low bandwidth, strides that change between steps. Each finding has its site, its cost, a fix, its effort and its risk. "
      "What the recording cannot tell is listed with what would record it. docs/layout.md has the details.");
  syntax.argument("TRACE", options.layout.trace, "trace of the PyTorch profiler (.json, .json.gz); - is standard input");
  syntax.option("--trace", "FILE", options.layout.trace_option, "the same");
  describe_layout(syntax, options.layout);
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json,--output-json", options.json, "the same as --format json (layout.v1)");
  syntax.flag("--md", options.markdown, "the same as --format markdown");
  describe_open(syntax, options.open);
  syntax.example("trace.json.gz --model resnet50_train", "which layouts cost how much?");
  syntax.example("--trace trace.json --steps 3:5 --json", "of three steps, for a program");
  syntax.example("trace.json --fail-on high", "for CI");
  describe_layout_exit_codes(syntax);
}

Result<int> act(const Options& options, Io& io) {
  if (options.json && options.markdown) return fail(ErrorKind::usage, "layout analyze: expected one format, found --json and --md");
  TRY_ASSIGN(const std::string format, format_of("layout analyze", options.json, options.markdown ? "markdown" : options.format));
  TRY(open_if_asked("layout analyze", options.open, format, io));
  return analyze_layout("layout analyze", options.layout, format, io);
}

}  // namespace
}  // namespace command_layout_analyze

constinit const Command layout_analyze_command =
    make_recording_command<command_layout_analyze::Options, command_layout_analyze::describe, command_layout_analyze::act>(
        "layout analyze", "Find what memory layouts cost, and the fixes", "Diagnose");

}  // namespace frx::cli
