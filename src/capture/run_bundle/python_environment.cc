#include "capture/run_bundle/python_environment.h"

#include "base/text.h"

namespace frx::capture {
namespace {

constexpr std::chrono::milliseconds limit{10000};

// The current folder is removed from the path: a local folder named torch must not count.
constexpr const char* packages_question = R"(import sys
sys.path = [p for p in sys.path if p]
print('python', sys.version.split()[0], flush=True)
try:
    import ast, importlib.util, os
    spec = importlib.util.find_spec('torch')
    if spec is None or not spec.origin:
        print('trouble', 'torch is not installed for', sys.executable)
    else:
        facts = {}
        with open(os.path.join(os.path.dirname(spec.origin), 'version.py'), encoding='utf-8') as file:
            for node in ast.parse(file.read()).body:
                target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, 'target', None)
                if isinstance(target, ast.Name) and isinstance(getattr(node, 'value', None), ast.Constant):
                    facts[target.id] = node.value.value
        print('torch', facts.get('__version__') or 'unknown')
        if facts.get('cuda'): print('cuda', facts['cuda'])
except BaseException as error:
    print('trouble', type(error).__name__ + ':', ' '.join(str(error).split()))
)";

bool is_python(std::string_view name) { return name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == name.npos; }

// The interpreter in "#!/opt/venv/bin/python3 -E" or "#!/usr/bin/env python3"; "" when it is not Python.
std::string interpreter_of_script(std::string_view text) {
  if (!text.starts_with("#!")) return {};
  const std::string_view line = trim(text.substr(2, text.substr(0, 512).find('\n') - 2));
  for (const std::string_view word : split(line, ' ')) {
    if (is_python(file_name_in(word))) return std::string(word);
  }
  return {};
}

std::string interpreter_of(const std::vector<std::string>& workload, const Host& host) {
  if (!workload.empty()) {
    const std::string path = host.program(workload[0]).value_or("");
    if (is_python(file_name_in(workload[0]))) return path;
    const std::string named = interpreter_of_script(path.empty() ? "" : host.file(path).value_or(""));
    if (!named.empty()) return host.program(named).value_or("");
  }
  return host.program("python3").value_or("");
}

}  // namespace

PythonEnvironment python_environment(const std::vector<std::string>& workload, const Host& host) {
  PythonEnvironment python;
  python.interpreter = interpreter_of(workload, host);
  if (python.interpreter.empty()) {
    python.trouble = "no Python was found";
    return python;
  }
  ChildCommand command;
  command.argv = {python.interpreter, "-c", packages_question};
  command.keep_limit = 64 << 10;
  command.time_limit = limit;
  const Result<Exit> answer = host.run(command);
  if (!answer || answer->out.empty()) {
    python.trouble = answer ? describe(*answer, limit) : answer.error().message;
    return python;
  }
  for (const std::string_view line : split(answer->out, '\n')) {
    const std::string_view key = line.substr(0, line.find(' '));
    const std::string value = printable(trim(line.substr(key.size())));
    if (key == "python") python.version = value;
    if (key == "torch") python.torch = value;
    if (key == "cuda") python.torch_cuda = value;
    if (key == "trouble") python.trouble = value;
  }
  return python;
}

}  // namespace frx::capture
