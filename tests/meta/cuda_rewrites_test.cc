// The cases of the CUDA rules, rewritten so that they mean the same: a rule that fires still does, and one that is silent still is.
//
// A rule is easily written for the one way in which its cases were typed. Here each case is typed in many other ways, as other people do:
// variables declared before their loop, indices by a macro, a function or a lambda, barriers behind a name, parameters in a structure.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "derive/cuda/inspect.h"
#include "detect/cuda_findings.h"
#include "ingest/cuda/read_source.h"
#include "knowledge/code_rules.h"
#include "knowledge/knowledge.h"
#include "meta/repository.h"

namespace frx::testing {
namespace {

const knowledge::CodeRules& rules() {
  static const knowledge::Library library = knowledge::Library::builtin();
  static const knowledge::CodeRules all = knowledge::CodeRules::load(library, "cuda").value();
  return all;
}

bool fires(const knowledge::CodeRule& rule, const std::string& text) {
  const std::vector<model::cuda::Source> sources{ingest::cuda::read_source("case.cu", text).value()};
  const model::cuda::Inspection inspection = derive::cuda::inspect(sources, {});
  const std::vector<model::Finding> findings = detect::examine_cuda(rules(), inspection, sources, "").findings;
  return std::ranges::find(findings, rule.id, &model::Finding::id) != findings.end();
}

struct Rewrite {
  const char* name;
  std::function<std::string(const std::string&)> of;

  friend void PrintTo(const Rewrite& rewrite, std::ostream* out) { *out << rewrite.name; }
};

std::string replaced(const std::string& text, const std::string& pattern, const std::string& by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

// What stands before the text when the pattern is found in it.
std::function<std::string(const std::string&)> with(const std::string& before, const std::string& pattern, const std::string& by) {
  return [=](const std::string& text) {
    const std::string made = replaced(text, pattern, by);
    return made == text ? text : before + made;
  };
}

// Behind the brace that opens the first kernel.
std::string in_kernel(const std::string& text, const std::string& statement) {
  std::smatch head;
  if (!std::regex_search(text, head, std::regex(R"(__global__[^{;]*\{)"))) return text;
  const std::size_t at = static_cast<std::size_t>(head.position() + head.length());
  return text.substr(0, at) + statement + text.substr(at);
}

std::size_t closing_brace(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return text.npos;
}

// As in C: the variables of all loops are declared at the beginning of the kernel.
std::string variables_first(const std::string& text) {
  const std::regex loop(R"(for \((unsigned int|unsigned|int|long|size_t|float) (\w+) = )");
  const std::size_t kernel = text.find("__global__");
  std::string declared, names = " ";
  for (auto at = std::sregex_iterator(text.begin(), text.end(), loop); at != std::sregex_iterator(); ++at) {
    if (static_cast<std::size_t>(at->position()) < kernel) return text;
    const std::string one = (*at)[1].str() + " " + (*at)[2].str() + "; ";
    if (declared.find(one) != one.npos) continue;
    if (names.find(" " + (*at)[2].str() + " ") != names.npos) return text;  // of two types
    declared += one;
    names += (*at)[2].str() + " ";
  }
  const std::size_t end = kernel == text.npos ? text.npos : closing_brace(text, text.find('{', kernel));
  const bool has_another = end != text.npos && text.find("for (", end) != text.npos;
  return declared.empty() || has_another ? text : in_kernel(std::regex_replace(text, loop, "for ($2 = "), " " + declared);
}

std::string work_in_lambda(const std::string& text) {
  std::smatch head;
  if (text.find("extern __shared__") != text.npos || !std::regex_search(text, head, std::regex(R"(__global__ void \w+\([^)]*\) \{)")))
    return text;
  const std::size_t open = static_cast<std::size_t>(head.position() + head.length()), close = closing_brace(text, open - 1);
  if (close == text.npos) return text;
  return text.substr(0, open) + " auto work = [&]() {" + text.substr(open, close - open) + "}; work(); " + text.substr(close);
}

// All parameters of the only kernel in a structure.
std::string parameters_together(const std::string& text) {
  std::smatch head;
  const bool is_plain = text.find("template") == text.npos && text.find("<<<") == text.npos && text.find("LaunchKernel") == text.npos;
  if (!is_plain || !std::regex_search(text, head, std::regex(R"(__global__ void (\w+)\(([^)]*)\) \{)"))) return text;
  const std::size_t open = static_cast<std::size_t>(head.position() + head.length()), close = closing_brace(text, open - 1);
  if (close == text.npos || text.find("__global__", open) != text.npos || head[2].str().empty()) return text;
  std::string members, body = text.substr(open, close - open);
  const std::string list = head[2].str() + ",";
  for (std::size_t begin = 0, end = 0; (end = list.find(',', begin)) != list.npos; begin = end + 1) {
    const std::string one = list.substr(begin, end - begin);
    members += one + "; ";
    const std::string name = replaced(one, R"(^.*?(\w+)\s*$)", "$1");
    body = replaced(body, R"((^|[^\w.]))" + name + R"(\b)", "$1given." + name);
  }
  return text.substr(0, static_cast<std::size_t>(head.position())) + "struct Given { " + members + "};\n__global__ void " + head[1].str() +
         "(Given given) {" + body + text.substr(close);
}

constexpr const char* row_and_column = R"(\[(\w+) \* (\w+) \+ (\w+)\])";
constexpr const char* global_index = R"(blockIdx\.x \* blockDim\.x \+ threadIdx\.x)";

std::vector<Rewrite> rewrites() {
  return {
      {"VariablesOfLoopsAtTheTop", variables_first},
      {"StepsWrittenOut", with("", R"((^|[^\w.*])(\w+) ([-+*/])= ([^;){]+)([;)]))", "$1$2 = $2 $3 ($4)$5")},
      {"HalvesByDivision", with("", ">>= 1", "/= 2")},
      {"ThreadsByMacros", with("#define TX threadIdx.x\n", R"(threadIdx\.x)", "TX")},
      {"ThreadsCast", with("", R"(threadIdx\.x)", "(int)threadIdx.x")},
      {"IndexByFunction",
       with("__device__ inline int global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }\n", global_index, "global_index()")},
      {"IndexByOldProduct", with("", global_index, "__umul24(blockIdx.x, blockDim.x) + threadIdx.x")},
      {"IndexInTwoSteps",
       with("", std::string(R"(([^(])\bint (\w+) = )") + global_index + ";", "$1int $2 = threadIdx.x; $2 += blockIdx.x * blockDim.x;")},
      {"ElementsByFunction",
       with("__device__ int at(int row, int column, int width) { return row * width + column; }\n", row_and_column, "[at($1, $3, $2)]")},
      {"ElementsByTemplate", with("template <typename I> __device__ I at(I row, I column, I width) { return row * width + column; }\n",
                                  row_and_column, "[at<int>($1, $3, $2)]")},
      {"ElementsByMacro", with("#define AT(row, column, width) ((row) * (width) + (column))\n", row_and_column, "[AT($1, $3, $2)]")},
      {"ElementsByRow", with("", R"(\b(\w+)\[(\w+ \* \w+) \+ (\w+)\])", "($1 + $2)[$3]")},
      {"BarriersByMacro", with("#define SYNC __syncthreads()\n", R"(__syncthreads\(\))", "SYNC")},
      {"BarriersByFunction",
       with("__device__ inline void wait_for_block() { __syncthreads(); }\n", R"(__syncthreads\(\))", "wait_for_block()")},
      {"ParametersTogether", parameters_together},
      {"WorkInLambda", work_in_lambda},
      {"ConstantParameters", with("", R"(([(,] ?)int (\w+)(?=[,)]))", "$1const int $2")},
      {"RestrictedPointers", with("", R"((\w)\* (\w+)(?=[,)]))", "$1* __restrict__ $2")},
      {"ComparedTheOtherWayRound", with("", R"(if \((\w+) < (\w+)\))", "if ($2 > $1)")},
      {"EndsIncluded", with("", R"((for \([^;]*; )(\w+) < (\w+);)", "$1$2 <= $3 - 1;")},
      {"SharedSizeByConstant", with("constexpr int kSize = 256;\n", R"((__shared__ \w+ \w+)\[256\])", "$1[kSize]")},
      {"SharedSizeByEnumerator", with("enum { SIZE = 256 };\n", R"((__shared__ \w+ \w+)\[256\])", "$1[SIZE]")},
      {"LaunchesByVariables", with("", R"((\w+)(<[^<>]*>)?<<<([^,>]+), ([^,>]+)>>>)",
                                   "dim3 launched_blocks($3), launched_threads($4); $1$2<<<launched_blocks, launched_threads>>>")},
      {"LaunchesInStreams", with("", R"(<<<([^,>]+), ([^,>]+)>>>)", "<<<$1, $2, 0, stream>>>")},
      {"StaticKernels", with("", "__global__ void", "static __global__ void")},
      {"KernelsOfAnUnknownMacro", with("", "__global__ void", "LIBRARY_API __global__ void")},
      {"KernelsByAMacro", with("#define GPU_KERNEL __global__\n", "__global__", "GPU_KERNEL")},
      {"WithinAnUnknownCondition", [](const std::string& text) { return "#ifdef WITH_CUDA\n" + text + "\n#endif\n"; }},
      {"BehindUnknownHeaders", [](const std::string& text) { return "#include \"project/config.h\"\n#include <cuda_runtime.h>\n" + text; }},
      {"BracesOnLinesOfTheirOwn", with("", R"( \{)", "\n{")},
      {"LinesOfWindows", with("", "\n", "\r\n")},
      {"CheckedByAssert", [](const std::string& text) { return in_kernel(text, " assert(blockDim.x <= 1024);"); }},
      {"Unrolled",
       [](const std::string& text) {
         return text.find("#pragma") != text.npos ? text : replaced(text, R"(\bfor \()", "\n#pragma unroll 4\nfor (");
       }},
  };
}

// A rewrite that does change what a case means, or that a rule cannot follow for the reason given.
struct Exception {
  const char *rewrite, *name, *reason;
};
constexpr std::array exceptions = std::to_array<Exception>({
    {"ParametersTogether", "a plain copy", "an alias of the arrays is not excluded"},
    {"ParametersTogether", "a pointer that no other one leads into", "an alias of the arrays is not excluded"},
    {"RestrictedPointers", "a sum over a row of run-time length", "the compiler keeps the sum in a register then"},
    {"RestrictedPointers", "a column of a matrix", "the compiler keeps the sum in a register then"},
    {"WorkInLambda", "the test that the threads have left by, once more", "the threads leave the lambda alone"},
    {"WorkInLambda", "a few lanes hand over what the block has found", "what is behind the lambda is not looked at"},
    {"LaunchesInStreams", "a sort by Thrust behind the wait", "Thrust works in the default stream"},
    {"LaunchesInStreams", "a copy to the GPU behind the wait", "the copy is in the default stream"},
    {"LaunchesInStreams", "behind the wait of a function the next one launches before it reads", "the wait is for all streams"},
    {"RestrictedPointers", "two sums, either of which may be the other", "the compiler keeps the sums in registers then"},
    {"ParametersTogether", "the loads are restricted", "nvcc makes no use of __restrict__ in a structure"},
    {"ParametersTogether", "the store is restricted", "nvcc makes no use of __restrict__ in a structure"},
    {"RestrictedPointers", "where a list begins, and how long it is", "the compiler keeps what it has loaded then"},
    {"LaunchesByVariables", "as many threads as a member says", "the member is no longer named where the launch is"},
    {"ParametersTogether", "columns of an image of OpenCV", "an image within a structure is not followed"},
    {"RestrictedPointers", "an atomic is a store", "the compiler keeps what it has loaded then"},
    {"RestrictedPointers", "a factor in each of nine directions", "the compiler keeps what it has loaded then"},
    {"RestrictedPointers", "the end of a loop that other pointers may change, in threads of the data",
     "the compiler keeps what it has loaded then"},
    {"ParametersTogether", "halves multiplied one by one", "tensor cores are looked for by the types of parameters"},
    {"ParametersTogether", "the data is in a structure of parameters", "a structure within another one"},
    {"WorkInLambda", "after some have returned", "a return leaves the lambda, not the kernel"},
    {"WorkInLambda", "those that have left are not waited for", "a return leaves the lambda, not the kernel"},
    {"WorkInLambda", "groups of eight lanes that return together", "a return leaves the lambda, not the kernel"},
    {"BracesOnLinesOfTheirOwn", "a wait behind each of several kernels", "a macro of one line ends there"},
    {"LaunchesByVariables", "columns of each thread, of which the next kernel takes one element",
     "two variables of one name, declared between the launches"},
    {"LaunchesByVariables", "rows of each thread, of a constant length", "two variables of one name, declared between the launches"},
    {"LaunchesByVariables", "one shape by two names", "one of the launches alone is rewritten"},
    {"LaunchesInStreams", "one shape by two names", "one of the launches alone is rewritten"},
    {"LaunchesByVariables", "a scaled vector that the next kernel adds", "two variables of one name, declared between the launches"},
    {"LaunchesByVariables", "three steps of particles, in strides of the grid", "two variables of one name, declared between the launches"},
    {"LaunchesByVariables", "sums of what each thread has stored, by blocks", "two variables of one name, declared between the launches"},
    {"LaunchesByVariables", "rows of blocks, masked before the softmax", "two variables of one name, declared between the launches"},
    {"ParametersTogether", "rows of a tensor, one for each thread", "the commas of a template split its arguments"},
    {"ParametersTogether", "rows of a tensor whose type has a name of its own", "a tensor that is a member of a structure is not followed"},
    {"ParametersTogether", "the same of tensors, whose extents have several names",
     "a tensor that is a member of a structure is not followed"},
    {"LaunchesInStreams", "functions that wait at their end, one after the other", "callers may give the stream to another one"},
    {"LaunchesInStreams", "a member function, through another one, on one side of a condition",
     "callers may give the stream to another one"},
    {"ParametersTogether", "a cube of doubles, with an exponent that has a name", "the type of an element of a member is not known"},
    {"BracesOnLinesOfTheirOwn", "a check that prints the line", "a macro of one line ends there"},
    {"LaunchesByVariables", "as many threads as blocks are needed", "the names of the variables say what they are"},
    {"LaunchesByVariables", "shapes of two dimensions", "the names of the variables say what they are"},
    {"LaunchesByVariables", "a member of the host says how many", "the names of the variables say what they are"},
    {"EndsIncluded", "as many as a template says, or fewer at the end of the data", "the smaller one of two, less one, is not followed"},
});

class CudaRewrites : public ::testing::TestWithParam<Rewrite> {};

TEST_P(CudaRewrites, AreJudgedAsTheCaseItself) {
  std::size_t tried = 0;
  for (const knowledge::CodeRule& rule : rules().all()) {
    for (std::size_t i = 0; i < rule.cases.size(); ++i) {
      const Value entry = rule.cases.item(i);
      const std::string text(entry["source"].text()), made = GetParam().of(text);
      const bool is_exception = std::ranges::any_of(exceptions, [&](const Exception& one) {
        return one.rewrite == std::string_view(GetParam().name) && one.name == entry["name"].text();
      });
      if (made == text || is_exception || entry["gpu"] || rule.id == "low_theoretical_occupancy") continue;  // asks for a GPU
      ++tried;
      EXPECT_EQ(fires(rule, made) ? "fires" : "silent", entry["expect"].text()) << rule.id << ", \"" << entry["name"].text() << "\":\n"
                                                                                << made;
    }
  }
  EXPECT_GT(tried, 3u);
}

INSTANTIATE_TEST_SUITE_P(Data, CudaRewrites, ::testing::ValuesIn(rewrites()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace frx::testing
