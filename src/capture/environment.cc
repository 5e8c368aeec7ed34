#include "capture/environment.h"

#include <algorithm>
#include <future>

#include "base/text.h"
#include "capture/gpu/driver_library.h"
#include "capture/gpu/nvidia_smi_table.h"

namespace frx::capture {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds tool_limit{5000};
constexpr milliseconds torch_limit{10000};

ChildCommand question(std::vector<std::string> argv, milliseconds limit) {
  ChildCommand command;
  command.argv = std::move(argv);
  command.environment = {{"LC_ALL", "C"}};
  command.keep_limit = 64 << 10;
  command.time_limit = limit;
  return command;
}

// The first line with text, of either stream.
std::string first_words(const Exit& exit) {
  for (const std::string* text : {&exit.out, &exit.err}) {
    for (const std::string_view line : split(*text, '\n')) {
      if (!trim(line).empty()) return printable(trim(line));
    }
  }
  return {};
}

std::string trouble_of(const Result<Exit>& answer, milliseconds limit) {
  if (!answer) return answer.error().message;
  const std::string words = first_words(*answer);
  return words.empty() || answer->timed_out ? describe(*answer, limit) : words;
}

Tool inspect_tool(const Host& host, std::string_view name) {
  Tool tool;
  tool.path = host.program(name).value_or("");
  if (!tool.found()) return tool;
  const Result<Exit> answer = host.run(question({tool.path, "--version"}, tool_limit));
  if (answer && answer->ok()) {
    tool.version = version_in(answer->out);
  } else {
    tool.trouble = trouble_of(answer, tool_limit);
  }
  return tool;
}

struct GpuList {
  std::vector<Gpu> gpus;
  std::string driver;
  std::string trouble;
};

GpuList gpu_list(const Host& host, const std::string& nvidia_smi) {
  GpuList list;
  if (nvidia_smi.empty()) return list;
  const Result<NvidiaSmiTable> table =
      query_nvidia_smi(host, nvidia_smi, {"index", "name", "compute_cap", "memory.total", "driver_version"});
  if (!table) {
    list.trouble = table.error().message;
    return list;
  }
  for (std::size_t row = 0; row < table->size(); ++row) {
    list.gpus.push_back({static_cast<int>(table->whole(row, "index").value_or(0)), std::string(table->text(row, "name")),
                         std::string(table->text(row, "compute_cap")), std::string(table->text(row, "memory.total"))});
    list.driver = table->text(row, "driver_version");
  }
  return list;
}

// The current folder is removed from the path: a local folder named torch must not be imported.
constexpr const char* torch_question = R"(import sys
sys.path = [p for p in sys.path if p]
print('python', sys.version.split()[0], flush=True)
try:
    import torch
    n = torch.cuda.device_count() if torch.cuda.is_available() else 0
    print('torch', torch.__version__)
    print('devices', n)
    if n: print('name', torch.cuda.get_device_name(0))
except BaseException as error:
    print('trouble', type(error).__name__ + ':', ' '.join(str(error).split()))
)";

Python inspect_python(const Host& host) {
  Python python;
  python.interpreter.path = host.program("python3").value_or(host.program("python").value_or(""));
  if (!python.interpreter.found()) return python;
  const Result<Exit> answer = host.run(question({python.interpreter.path, "-c", torch_question}, torch_limit));
  if (!answer) {
    python.interpreter.trouble = answer.error().message;
    return python;
  }
  for (const std::string_view line : split(answer->out, '\n')) {
    const std::size_t space = line.find(' ');
    if (space == line.npos) continue;
    const std::string_view key = line.substr(0, space);
    const std::string value = printable(trim(line.substr(space)));
    if (key == "python") python.interpreter.version = value;
    if (key == "torch") python.torch = value;
    if (key == "name") python.cuda_device_name = value;
    if (key == "trouble") python.trouble = value;
    if (key == "devices") std::from_chars(value.data(), value.data() + value.size(), python.cuda_devices);
  }
  if (python.interpreter.version.empty()) python.interpreter.trouble = trouble_of(answer, torch_limit);
  if (python.torch.empty() && python.trouble.empty()) python.trouble = "importing it: " + describe(*answer, torch_limit);
  return python;
}

}  // namespace

std::string version_in(std::string_view text) {
  for (std::string_view line : split(text, '\n')) {
    for (std::string_view word : split(line, ' ')) {
      while (!word.empty() && (word.back() == ',' || word.back() == ')')) word.remove_suffix(1);
      if (word.empty() || word[0] < '0' || word[0] > '9' || word.find('.') == word.npos) continue;
      return printable(word);
    }
  }
  return {};
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 ..."; the open module says
// "... Open Kernel Module for x86_64  550.54.15  Release Build ...".
std::string driver_version(const Host& host) {
  const std::string text = host.file("/proc/driver/nvidia/version").value_or("");
  const std::string_view first_line = std::string_view(text).substr(0, text.find('\n'));
  for (const std::string_view word : split(first_line, ' ')) {
    const bool starts = !word.empty() && word[0] >= '0' && word[0] <= '9';
    if (starts && word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos) return std::string(word);
  }
  return {};
}

Environment inspect(const Host& host) {
  const auto ask = [](auto&& work) { return std::async(std::launch::async, std::forward<decltype(work)>(work)); };
  auto python = ask([&] { return inspect_python(host); });
  auto ncu = ask([&] { return inspect_tool(host, "ncu"); });
  auto nsys = ask([&] { return inspect_tool(host, "nsys"); });
  auto nvcc = ask([&] { return inspect_tool(host, "nvcc"); });
  Environment environment;
  environment.nvidia_smi.path = host.program("nvidia-smi").value_or("");
  GpuList gpus = gpu_list(host, environment.nvidia_smi.path);
  environment.gpus = std::move(gpus.gpus);
  environment.gpu_trouble = std::move(gpus.trouble);
  environment.driver = driver_version(host);
  if (environment.driver.empty()) environment.driver = std::move(gpus.driver);
  environment.permission = counter_permission(host);
  environment.device_nodes = has_driver(host);
  environment.python = python.get();
  environment.ncu = ncu.get();
  environment.nsys = nsys.get();
  environment.nvcc = nvcc.get();
  return environment;
}

}  // namespace frx::capture
