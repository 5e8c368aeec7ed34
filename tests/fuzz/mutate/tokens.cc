// Text as a tree: words, numbers, strings, brackets with what is between them, and statements, which end at ; , } or a line's end.
#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include "fuzz/mutate/changes.h"

namespace frx::fuzz {
namespace {

enum class Kind : std::uint8_t { space, word, number, string, open, close, other };

struct Token {
  std::size_t begin = 0, end = 0;
  Kind kind = Kind::other;
  std::size_t match = 0;  // of a bracket: the token that closes or opens it; itself when there is none
};

struct Span {
  std::size_t begin = 0, end = 0;
};

// Words are separated by white space; each fragment is a line, in which $ stands for a piece of the text, ~ for a number and \n for a
// line's end.
struct Language {
  Language(std::string_view all_words, std::string_view all_fragments)
      : words(parts_of(all_words, " \n")), fragments(parts_of(all_fragments, "\n")) {}

  std::vector<std::string_view> words, fragments;

 private:
  static std::vector<std::string_view> parts_of(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    for (std::size_t at = text.find_first_not_of(separators); at != text.npos; at = text.find_first_not_of(separators, at)) {
      parts.push_back(text.substr(at, text.find_first_of(separators, at) - at));
      at += parts.back().size();
    }
    return parts;
  }
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%' || c == '$'; }

std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

Token token_at(std::string_view text, std::size_t at) {
  const char c = text[at];
  const auto run = [&](auto is) {
    return static_cast<std::size_t>(std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is) - text.begin());
  };
  if (std::isspace(static_cast<unsigned char>(c)) != 0) return {at, run([](unsigned char s) { return std::isspace(s) != 0; }), Kind::space};
  if (std::isdigit(static_cast<unsigned char>(c)) != 0) return {at, run(is_word), Kind::number};
  if (is_word(c)) return {at, run(is_word), Kind::word};
  if (c == '"' || c == '\'') return {at, end_of_string(text, at), Kind::string};
  if (std::string_view("([{").find(c) != std::string_view::npos) return {at, at + 1, Kind::open};
  if (std::string_view(")]}").find(c) != std::string_view::npos) return {at, at + 1, Kind::close};
  return {at, at + 1, Kind::other};
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < text.size(); at = tokens.back().end) {
    tokens.push_back(token_at(text, at));
    Token& last = tokens.back();
    last.match = tokens.size() - 1;
    if (last.kind == Kind::open) open.push_back(last.match);
    if (last.kind != Kind::close || open.empty()) continue;
    last.match = open.back();
    tokens[open.back()].match = tokens.size() - 1;
    open.pop_back();
  }
  return tokens;
}

class Tree {
 public:
  Tree(const std::string& text, Changes& changes) : text_(text), changes_(changes), tokens_(tokens_of(text)) {}

  bool empty() const { return tokens_.empty(); }
  // A token that is no space, if there is one near a random place.
  std::size_t any() const {
    std::size_t at = changes_.below(tokens_.size());
    if (tokens_[at].kind == Kind::space && at + 1 < tokens_.size()) ++at;
    return at;
  }
  Kind kind(std::size_t token) const { return tokens_[token].kind; }
  // The token; of a bracket, all between it and its other one; at times the statement that it is in.
  Span unit(std::size_t token) const {
    if (changes_.one_in(3)) return statement(token);
    const std::size_t first = std::min(token, tokens_[token].match), last = std::max(token, tokens_[token].match);
    return {tokens_[first].begin, tokens_[last].end};
  }
  Span unit() const { return unit(any()); }
  // A unit of the same kind; of any kind after some tries.
  Span unit_like(std::size_t token) const {
    std::size_t other = any();
    for (int tries = 0; tries < 8 && kind(other) != kind(token); ++tries) other = any();
    return unit(other);
  }
  std::string text(Span span) const { return text_.substr(span.begin, span.end - span.begin); }

 private:
  bool ends_statement(const Token& token) const {
    const char c = text_[token.begin];
    return c == ';' || c == ',' || c == '}' || (token.kind == Kind::space && text_.find('\n', token.begin) < token.end);
  }
  Span statement(std::size_t token) const {
    std::size_t first = token, last = token;
    while (first > 0 && !ends_statement(tokens_[first - 1]) && tokens_[first - 1].kind != Kind::open) --first;
    while (last + 1 < tokens_.size() && !ends_statement(tokens_[last])) last = std::max(last, tokens_[last].match) + 1;
    last = std::min(last, tokens_.size() - 1);
    return {tokens_[first].begin, std::max(tokens_[last].end, tokens_[first].end)};
  }

  const std::string& text_;
  Changes& changes_;
  std::vector<Token> tokens_;
};

std::string number_text(Changes& changes) {
  const std::uint64_t value = changes.number();
  switch (changes.below(6)) {
    case 0: return "-" + std::to_string(value);
    case 1: return "0x" + std::string(1 + changes.below(17), "0f8"[changes.below(3)]);
    case 2: return std::to_string(value) + "." + std::to_string(changes.number());
    case 3: return std::to_string(changes.below(10)) + "e" + (changes.one_in(2) ? "-" : "") + std::to_string(changes.below(400));
    default: return std::to_string(value);
  }
}

std::string filled(std::string_view fragment, const Tree& tree, Changes& changes) {
  std::string text;
  for (std::size_t i = 0; i < fragment.size(); ++i) {
    const char c = fragment[i];
    if (fragment.substr(i, 2) == "\\n") {
      text += '\n';
      ++i;
    } else if (c == '$') {
      text += tree.text(tree.unit()).substr(0, 2000);
    } else if (c == '~') {
      text += number_text(changes);
    } else {
      text += c;
    }
  }
  return text;
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string nested(const std::string& text, Changes& changes) {
  const char* const brackets[][2] = {{"(", ")"}, {"[", "]"}, {"{", "}"}};
  const auto& [open, close] = brackets[changes.below(3)];
  const std::size_t levels = changes.times(2);
  return repeated(open, levels) + text + repeated(close, levels);
}

void swap_spans(std::string& text, Span a, Span b) {
  if (a.begin > b.begin) std::swap(a, b);
  if (a.end > b.begin) return;
  text = text.substr(0, a.begin) + text.substr(b.begin, b.end - b.begin) + text.substr(a.end, b.begin - a.end) +
         text.substr(a.begin, a.end - a.begin) + text.substr(b.end);
}

std::string_view one_of(std::span<const std::string_view> all, Changes& changes) { return all[changes.below(all.size())]; }

void change_once(std::string& text, const Language& language, Changes& changes) {
  const Tree tree(text, changes);
  if (tree.empty()) {
    text = one_of(language.fragments, changes);
    return;
  }
  const std::size_t token = tree.any();
  const Span here = tree.unit(token);
  std::string now = tree.text(here);
  switch (changes.below(10)) {
    case 0: now.clear(); break;
    case 1: now = repeated(now, 1 + changes.times(now.size())); break;
    case 2: now = tree.text(tree.unit_like(token)); break;
    case 3: return swap_spans(text, here, tree.unit_like(token));
    case 4: now = number_text(changes); break;
    case 5: now = one_of(language.words, changes); break;
    case 6: now = nested(now, changes); break;
    case 7: changes.change(now); break;
    case 8: now = filled(one_of(language.fragments, changes), tree, changes); break;
    default: now += filled(one_of(language.fragments, changes), tree, changes);
  }
  text.replace(here.begin, here.end - here.begin, now);
}

void mutate_text(std::string& text, const Language& language, Changes& changes) {
  for (std::size_t left = 1 + changes.below(4); left > 0 && text.size() <= changes.most(); --left) change_once(text, language, changes);
}

constexpr std::string_view json_words = R"~(
null true false "X" "B" "E" "i" "f" "s" "M" "ts" "dur" "ph" "cat" "pid" "tid" "args" "name" "kernel" "gpu_memcpy" "cpu_op" "cuda_runtime"
"user_annotation" "correlation" "stream" "device" "Bytes" "ProfilerStep#1" "cudaLaunchKernel" "ncclDevKernel_AllReduce" "event_type"
"step_id" "duration_ns" "\u202e" "\ud800" NaN Infinity 1e999 -0
)~";
constexpr std::string_view json_fragments = R"~(
,{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":~,"dur":~,"args":{"stream":7,"device":0,"correlation":~,"External id":~}}
,{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":~,"dur":~,"args":{"correlation":~,"External id":~}}
,{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":~,"dur":~,"args":{"External id":~,"Input Dims":[[~,~],[~,~]],"Input type":["float","float"]}}
,{"ph":"X","cat":"user_annotation","name":"ProfilerStep#~","pid":1,"tid":1,"ts":~,"dur":~}
,{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":7,"ts":~,"dur":~,"args":{"bytes":~,"memory bandwidth (GB/s)":~,"stream":7,"device":0}}
,{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":9,"ts":~,"dur":~,"args":{"stream":9,"device":0,"Collective name":"allreduce","In msg nelems":~,"dtype":"Float","Group size":~}}
{"event_type":"step_end","step_id":~,"timestamp_ns":~,"duration_ns":~,"payload":{"step_kind":"train"}}
,"distributedInfo":{"rank":~,"world_size":~}
,"deviceProperties":[{"id":~,"name":$,"numSms":~,"totalGlobalMem":~}]
,$:$
,[$,$]
{"traceEvents":[$]}
)~";

constexpr std::string_view ptx_words = R"~(
.reg .b32 .pred .v4 .f16x2 .global .shared .local .param .const .func .entry .visible .extern .weak .align .loc .file .section .maxntid
.branchtargets .callprototype %tid.x %ctaid.y %laneid %r1 %rd1 %p1 %f<8> _ @%p1 @!%p1 bra.uni brx.idx call ret exit mov.u32 mad.lo.s32
mul.wide.u32 cvta.to.global.u64 ld.global.nc.v4.f32 st.shared.b128 atom.global.add.f32 setp.lt.s32 selp.b32 shfl.sync.bfly.b32 bar.sync
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 cp.async.cg.shared.global 0f3F800000 0d7FF8000000000000 WARP_SZ $L__BB0_1
)~";
constexpr std::string_view ptx_fragments = R"~(
mov.u32 %r1, %tid.x;
mad.lo.s32 %r1, %r1, ~, %r1;
shl.b32 %r1, %r1, ~;
mul.wide.s32 %rd1, %r1, ~;
add.s64 %rd1, %rd1, ~;
ld.global.f32 %f1, [%rd1+~];
ld.global.v4.f32 {%f1, %f1, %f1, %f1}, [%rd1];
st.shared.f32 [%rd1+~], %f1;
setp.ge.s32 %p1, %r1, ~;\n@%p1 bra $;
$L_x~: bra $L_x~;
{ $ }
.loc 1 ~ ~, function_name $, inlined_at 1 ~ ~
.reg .b32 %r<~>;
.shared .align 16 .b8 s[~];
.global .u32 g[~] = {~, ~, $};
.func f(.param .b32 a) { $ ret; }
call.uni (%r1), f, ($);
.visible .entry k_~(.param .u64 p) .maxntid ~, ~, ~ { $ ret; }
brx.idx %r1, t;\nt: .branchtargets $;
.global .u32 c = ~ ? $ : (~ << ~) / ~;
rem.u32 %r1, %r1, ~;
and.b32 %r1, %r1, ~;
selp.b32 %r1, %r1, ~, %p1;
)~";

constexpr std::string_view cuda_words = R"~(
__global__ __device__ __shared__ __restrict__ __launch_bounds__(256) template typename auto const constexpr float4 half2 unsigned size_t
threadIdx.x blockIdx.y blockDim.x gridDim.x warpSize __syncthreads() __syncwarp() __shfl_down_sync atomicAdd cudaMalloc cudaMemcpy <<< >>>
:: -> && ? : for while do if else switch case return continue break goto sizeof new operator asm #define #if #endif #include using namespace
struct R"( /* */ // \
)~";
constexpr std::string_view cuda_fragments = R"~(
__global__ void k~(float* a, const float* b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { $ } }
a[i * ~] = b[$];
for (int j = 0; j < ~; ++j) { $ }
while ($) { $ }
do { $ } while ($);
if ($) { $ } else { $ }
switch ($) { case ~: $ break; default: $ }
__shared__ float s[~][~];
s[threadIdx.x * ~] = $; __syncthreads();
template <class T, int N> $
auto f = [&](int x) { return $; };
k<<<~, ~, ~>>>($, $);
\n#define M(x, y) $ x y
\n#define N M(M(x, x), M(x, x))
\n#if $\n$\n#elif ~\n$\n#endif
struct S~ { float x, y; $ };
namespace n { $ }
float4 v = reinterpret_cast<float4*>(b)[$];
asm volatile("$" : "=r"(a) : "r"($));
atomicAdd(&a[$], $);
int x[] = {$, $, ~};
x ? $ : $
(float)($)
f<$>($)
a[b[i]]
#pragma unroll ~
extern "C" { $ }
)~";

}  // namespace

void mutate_json(std::string& bytes, Changes& changes) {
  static const Language language(json_words, json_fragments);
  mutate_text(bytes, language, changes);
}

void mutate_ptx(std::string& bytes, Changes& changes) {
  static const Language language(ptx_words, ptx_fragments);
  mutate_text(bytes, language, changes);
}

void mutate_cuda(std::string& bytes, Changes& changes) {
  static const Language language(cuda_words, cuda_fragments);
  mutate_text(bytes, language, changes);
}

}  // namespace frx::fuzz
