// The parser against the grammar: where it does not give up, both must give one tree, node for node.
#include "ingest/cuda/parser.h"

#include <gtest/gtest.h>

#include <string>

#include "ingest/cuda/syntax_tree.h"

namespace frx::ingest::cuda {
namespace {

using model::cuda::Node;
using model::cuda::Syntax;

bool is_same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.role == b.role && a.begin == b.begin && a.end == b.end && a.parent == b.parent && a.last == b.last;
}

// The first difference of two trees, as a text; "" when they are equal.
std::string difference(std::string_view text, const Syntax& ours, const Syntax& grammars) {
  for (std::uint32_t n = 0; n < std::min(ours.size(), grammars.size()); ++n) {
    const Node &a = ours[n], &b = grammars[n];
    if (!is_same(a, b) && n > 0) return "at: " + std::string(text.substr(std::min(a.begin, b.begin), 60));
  }
  return ours.size() == grammars.size() ? "" : "more nodes in one of them";
}

Syntax by_grammar(std::string_view text, std::uint32_t& errors) {
  Syntax syntax;
  EXPECT_TRUE(add_syntax_of_grammar(text, 0, syntax, errors));
  return syntax;
}

// "" for one tree; "gave up", or where the two differ.
std::string compared(std::string_view text) {
  Syntax ours;
  if (!Parser(text).read(0, ours)) return "gave up";
  std::uint32_t errors = 0;
  const Syntax grammars = by_grammar(text, errors);
  return errors > 0 ? "an error of the grammar" : difference(text, ours, grammars);
}

std::string in_function(std::string_view statement) { return "void f() { " + std::string(statement) + " }"; }

class Statement : public ::testing::TestWithParam<const char*> {};
TEST_P(Statement, ReadsAsByTheGrammar) { EXPECT_EQ(compared(in_function(GetParam())), ""); }
INSTANTIATE_TEST_SUITE_P(Expressions, Statement,
                         ::testing::Values("x = a + b * c - -1;", "y = (a)-1;", "y = (a)*b;", "y = (T*)p;", "y = (int)-x;",
                                           "y = (a::b)(c);", "y = a ? b, c : d ? e : f;", "a = b = c, d;",
                                           "x = sizeof(T) * n + sizeof(int*) + sizeof x;", "p->q.r[3](1)++;", "o.x<4>();",
                                           "o.template m<T>(x);", "x = a::b<int>::c(d);", "x = ::g(1, {2, 3});", "x = T{1, 2} + T<int>{};",
                                           "x = {1, .y = 2};", "x <<= 3, y >>= 1;", "const char* s = \"a\\n\" \"b\" NAME L\"c\";",
                                           "char c = '\\n', d = 'x';", "auto r = R\"m(a \" b)m\";", "x = 0x1Fu + 1.5e-3f + .5 + 1'000;",
                                           "auto l = [&, n](int i) -> float { return i; };", "int* q = new int[n]; delete[] q;",
                                           "x = short(v) + float(w);", "if (r < 0 || r >= h) x = 1;", "x = std::min<int>(a, b) < c;",
                                           "v = !~-*&x;", "x = sizeof...(T) + alignof(int);", "q = new (p) T(1);",
                                           "a::template g<3>(1); x = t::template v<int>::w;", "y = (a)++;", "y = (T){1};"));
INSTANTIATE_TEST_SUITE_P(Declarations, Statement,
                         ::testing::Values("T * p;", "a & b = c;", "a * b + c;", "dim3 g(a * b);", "dim3 g(a * b, 3);",
                                           "dim3 b(T, U), c{1, 2};", "A a(B(c), 3);", "std::vector<float> u(n, 0), w(n, false);",
                                           "extern __shared__ float sm[];", "unsigned long long k = 1;", "const float* __restrict__ a = b;",
                                           "__shared__ float t[32][33];", "auto [m, n] = f();", "typename T::X y;",
                                           "struct S { int a; } s;", "using X = int; typedef float F, *G;",
                                           "static_assert(sizeof(int) == 4, \"m\");", "constexpr int n = A<T>::value;",
                                           "[[maybe_unused]] int z = 3;", "int final = 3;", "A<B<C<int>>> x;",
                                           "typename t::template r<U> x;", "float (*t)[4] = p;"));
INSTANTIATE_TEST_SUITE_P(ControlFlow, Statement,
                         ::testing::Values("if (int z = g()) {} else if (x) ; else y;", "if constexpr (a) b;",
                                           "for (int i = 0, j = 1; i < n; ++i, ++j) x;", "for (;;) {}",
                                           "for (i = 0; i < n; i += 2) for (auto& v : w) v++;", "do x--; while (x); while (y) { break; }",
                                           "switch (x) { case 1: a; break; case 2: { b; } default: c; }", "goto out; out: x++;",
                                           "try { a; } catch (E& e) { throw; }", "return {1};", "[[likely]] if (x) y;",
                                           "FOR_EACH(i, n) { x; }",
                                           "asm volatile(\"a %0;\" : \"=r\"(x), [b] \"+f\"(y) : \"l\"(p) : \"memory\");",
                                           "asm(\"a\" : \"=l\"(x)::\"memory\");"));
INSTANTIATE_TEST_SUITE_P(Launches, Statement,
                         ::testing::Values("k<<<1, 2>>>(a);", "ns::k<T, 3><<<dim3(a), b, 0, s>>>(c, d);", "k << <g, b >> >(a);",
                                           "k<A<int>><<<g, b>>>();"));

// With the grammar for what the parser declines, and the tree that the grammar gives of the whole.
std::string compared_in_parts(std::string_view text) {
  Grammar grammar(text);
  Syntax ours;
  Parser parser(text, &grammar);
  if (!parser.read(0, ours)) return "gave up";
  std::uint32_t errors = 0;
  const Syntax grammars = by_grammar(text, errors);
  return errors > 0 || parser.errors() > 0 ? "an error of the grammar" : difference(text, ours, grammars);
}

// Each holds what the parser declines, between what it reads.
class Declined : public ::testing::TestWithParam<const char*> {};
TEST_P(Declined, IsReadByTheGrammarAlone) {
  const std::string text = "int a; " + std::string(GetParam()) + " void f() { g(); }";
  EXPECT_EQ(compared(text), "gave up");
  EXPECT_EQ(compared_in_parts(text), "");
}
INSTANTIATE_TEST_SUITE_P(Items, Declined,
                         ::testing::Values("int n = offsetof(S, a);", "namespace b { int n = offsetof(S, a); int m; }",
                                           "struct S { int n = offsetof(S, a); S() : x{1} {} };",
                                           "template <class T> struct S { void m() { x = offsetof(T, a); } private: int p; };",
                                           "void h() { x = offsetof(T, a); }", "void h() { a - k<<<1, 2>>>(b); }",
                                           "void h() { x = k<<<1, 2>>>(b); }",
                                           "namespace b { struct S { struct R { int n = offsetof(S, a); } r; int q; }; }",
                                           "int n[] = {offsetof(S, a), 1}, m = 2;", "struct { int n = offsetof(S, a); } *p, q;",
                                           "A::A() : x{offsetof(S, a)}, y{2} {}", "auto l = [] { return offsetof(S, a); };",
                                           "const char* s = \"a;}\"; int n = offsetof(S, a);", "extern \"C\" { int n = offsetof(S, a); }"));

// A macro of as many letters as __device__, which it is read as.
class Annotated : public ::testing::TestWithParam<const char*> {};
TEST_P(Annotated, ReadsTheMacroAsAQualifier) {
  std::string plain = GetParam();
  for (std::size_t at = plain.find("MACRO_NAME"); at != plain.npos; at = plain.find("MACRO_NAME")) plain.replace(at, 10, "__device__");
  Syntax annotated, expected;
  ASSERT_TRUE(Parser(GetParam()).read(0, annotated));
  ASSERT_TRUE(Parser(plain).read(0, expected));
  EXPECT_EQ(difference(plain, annotated, expected), "");
}
INSTANTIATE_TEST_SUITE_P(
    Macros, Annotated,
    ::testing::Values("MACRO_NAME void f() {}", "MACRO_NAME T f(int a) { return a; }", "void MACRO_NAME f() {}",
                      "template <class T> MACRO_NAME MACRO_NAME T f() { return 1; }",
                      "struct S { MACRO_NAME S(int a) : x(a) {} MACRO_NAME ~S() {} MACRO_NAME operator int() { return 1; } };",
                      "namespace a { MACRO_NAME ns::T<3> f(); }", "MACRO_NAME static const int n = 3;",
                      "struct S { MACRO_NAME const T& operator[](int i) const { return p[i]; } };",
                      "void f() { auto l = [=] MACRO_NAME (int a) { return a; }; MACRO_NAME int b; }"));

// The type of a declaration may be in capitals, too.
TEST(Parser, TakesACapitalNameForATypeWhereItCanBeOne) {
  for (const char* text :
       {"DOUBLE x;", "DOUBLE f(int a) { return a; }", "DOUBLE *p, q[3];", "template <class T> DOUBLE T::f() { return 1; }", "ALPHA(x);"}) {
    EXPECT_EQ(compared(text), "") << text;
  }
}

TEST(Parser, ReadsWhatFollowsALoneMacro) {
  for (const char* text : {"NAMESPACE_BEGIN namespace a { int b; } NAMESPACE_END", "DECLARE(x) template <class T> struct S { T a; };",
                           "TEST(\"a\", \"b\") { using T = int; f<T>(); }", "class API_NAME S : public B { int a; };",
                           "struct S { Q_OBJECT public: int a; };", "BOUNDS(256) __global__ void f() {}", "struct ALIGNED(8) S { int a; };",
                           "void f() { BEGIN if (x) { y; } CHECK(x)\n y = 1; FOR_EACH(s->a[1]) { z; } LOCAL int w; END return; }",
                           "void f() { __local int x; }", "void f(T x = {}) {}"}) {
    Syntax syntax;
    EXPECT_TRUE(Parser(text).read(0, syntax)) << text;
  }
}

class Item : public ::testing::TestWithParam<const char*> {};
TEST_P(Item, ReadsAsByTheGrammar) { EXPECT_EQ(compared(GetParam()), ""); }
INSTANTIATE_TEST_SUITE_P(
    Functions, Item,
    ::testing::Values(
        "template <typename T, int N = 4> __global__ void __launch_bounds__(256, 2) k(const T* a, T (&r)[N], void (*f)(int), ...) {}",
        "__device__ __forceinline__ auto f(int) -> float;", "template <> int h<3>(int) { }", "template __global__ void k<float>(int);",
        "A::A() : x(1), B<C>{2} {}", "A::~A() {}", "int A::m(int x) const noexcept { return x; }", "T operator+(T a, T b) { return a; }",
        "int A<T>::operator[](int i) { return 1; }", "void f() throw() {}", "using a = typename t::template arg<0>::type;",
        "template <template <typename> class O, class... Ts> void f(Ts&&... rest, O<int> o) { g(rest...); }", "FOO(x);",
        "template <class T, typename std::enable_if<T::v, int>::type = 0> void f() {}", "extern \"C\" int g(int);"));
INSTANTIATE_TEST_SUITE_P(
    Others, Item,
    ::testing::Values("namespace a { namespace b::c { int x; } } namespace d = a::b::c;", "extern \"C\" { int g(); }",
                      "using namespace std; using a::b;", "__constant__ float c[3] = {1, 2, 3};", "enum class E : int { A, B = 3, };",
                      "typedef struct { float x, y; } P;", ";",
                      "struct S : public B<T>, C { int a : 3, *p = nullptr; S() = default; explicit S(int x) : a(x) {} ~S() {} "
                      "operator float() const { return 1; } template <class U> void g(U&& u); static constexpr int q = 1; private: "
                      "enum { K = 3 }; friend class X; virtual void v() = 0; union { int i; float f; }; };",
                      "struct alignas(16) V { float x; } vv; class F;", "// only a comment\n", ""));

// Ambiguous constructs are left to the grammar.
TEST(Parser, GivesUpWhereTheTextIsNoPlainCuda) {
  for (const char* text :
       {"int a b;", "void f() { x = ; }", "#define A", "void f() { o.x<4>(y); }", "int f(", "a $ b;", "void f() { \"abc }"}) {
    Syntax syntax;
    EXPECT_FALSE(Parser(text).read(0, syntax)) << text;
    EXPECT_EQ(syntax.size(), 0u) << text;
  }
}

TEST(Parser, GivesUpWhereTheTextIsNestedBeyondReason) {
  for (const auto& [open, close] : {std::pair("(", ")"), std::pair("{", "}"), std::pair("[", "]"), std::pair("a<", ">"), std::pair("-", ""),
                                    std::pair("if (x) ", "")}) {
    std::string text = "void f() { x = ";
    for (int i = 0; i < 20000; ++i) text += open;
    text += "y";
    for (int i = 0; i < 20000; ++i) text += close;
    Syntax syntax;
    EXPECT_FALSE(Parser(text + "; }").read(0, syntax)) << open;
  }
}

// Each `<` may begin a list of arguments: repeated attempts are bounded.
TEST(Parser, TriesNoMoreThanAMultipleOfTheText) {
  std::string text = "void f() { x = ";
  for (int i = 0; i < 300; ++i) text += "a < ";
  Syntax syntax;
  EXPECT_FALSE(Parser(text + "; }").read(0, syntax));
}

// Long texts are not read repeatedly either.
TEST(Parser, TriesNoMoreThanAMultipleOfALongStringOrComment) {
  for (const std::string& filler : {"\"" + std::string(100'000, 'a') + "\"", "/*" + std::string(100'000, ' ') + "*/ b",
                                    std::string(100'000, 'b'), "\"" + std::string(100'000, 'a'), "R\"(" + std::string(100'000, ')')}) {
    std::string text = "void f() { x = ";
    for (int i = 0; i < 200; ++i) text += "a < ";
    Syntax syntax;
    EXPECT_FALSE(Parser(text + filler + " }").read(0, syntax));
  }
}

TEST(Parser, GivesUpAtACommentWithoutAnEnd) {
  Syntax syntax;
  EXPECT_FALSE(Parser("void f() { x = a /* b; }").read(0, syntax));
}

// Nor are nested scopes that do not end.
TEST(Parser, TriesNoMoreThanAMultipleOfOpenScopes) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "namespace a { struct S { ";
  text += std::string(100'000, ';');
  Grammar grammar(text);
  Syntax syntax;
  EXPECT_FALSE(Parser(text, &grammar).read(0, syntax));
}

// Long rows of operators are not nesting.
TEST(Parser, ReadsALongSum) {
  std::string text = "int x = a";
  for (int i = 0; i < 50000; ++i) text += " + a";
  Syntax syntax;
  EXPECT_TRUE(Parser(text + ";").read(0, syntax));
}

}  // namespace
}  // namespace frx::ingest::cuda
