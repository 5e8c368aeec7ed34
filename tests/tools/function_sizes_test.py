#!/usr/bin/env python3
"""tools/function_sizes finds every function and its lines; and no function of src is longer than CONTRIBUTING.md allows."""

import importlib.util
import pathlib
import sys
import unittest
from importlib.machinery import SourceFileLoader

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
LOADER = SourceFileLoader("function_sizes", str(ROOT / "tools/function_sizes"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
sys.modules[LOADER.name] = tool
LOADER.exec_module(tool)

LONGEST = 60


def found(source):
    """(name, first line, lines) of each function."""
    return [(one.name, one.line, one.lines) for one in tool.functions_of(source)]


class Functions(unittest.TestCase):
    def test_count_from_the_declaration_to_the_last_brace(self):
        source = "\n// f\nint f(int a,\n      int b) {\n  return a + b;\n}\nvoid g();\nvoid h() { g(); }\n"
        self.assertEqual(found(source), [("f", 3, 4), ("h", 8, 1)])

    def test_in_classes_and_namespaces_count(self):
        source = """namespace a::b {
namespace {
class Type final : public Base<int(int)> {
 public:
  explicit Type(int n) : n_(n), list_{1, 2} {
    grow();
  }
  ~Type() {}
  int size() const noexcept { return n_; }
  bool operator()(int x) const { return x > 0; }
  friend bool operator<(const Type& a, const Type& b) {
    return a.n_ < b.n_;
  }
  operator bool() const { return true; }
  struct Inner {
    void act() { if (n_) { n_ = 0; } }
  };

 private:
  std::vector<int> list_{1, 2, 3};
  std::function<void(int)> call_;
  int n_ = 0;
};
}  // namespace
template <typename T, int N = (1 > 0)>
T Type::Inner::most(const std::array<T, N>& all) {
  return all[0];
}
}  // namespace a::b
extern "C" {
int entry(void) { return 0; }
}
extern "C" int other(void) {
  return 1;
}
"""
        self.assertEqual(found(source), [("Type", 5, 3), ("~Type", 8, 1), ("size", 9, 1), ("operator ( )", 10, 1),
                                         ("operator <", 11, 3), ("operator bool", 14, 1), ("act", 16, 1),
                                         ("Type::Inner::most", 25, 4), ("entry", 31, 1), ("other", 33, 3)])

    def test_are_not_what_else_has_braces(self):
        source = """enum class Kind : unsigned { one, two };
struct Point { int x = 0, y{1}; };
constexpr std::array<Point, 2> points = {{{1, 2}, {3, 4}}};
const std::map<int, std::string> names{{1, "a"}, {2, "b"}};
using Call = std::function<int(int)>;
static_assert(sizeof(Point) == 8);
concept Small = requires(Point p) { p.x; };
"""
        self.assertEqual(found(source), [])

    def test_do_not_end_in_strings_comments_or_directives(self):
        source = 'void f() {\n  // }\n  /* } */\n  g("}", \'}\', 1\'000, R"x(\n}\n)x");\n#define END }\n}\nvoid h() {}\n'
        self.assertEqual(found(source), [("f", 1, 8), ("h", 9, 1)])

    def test_have_one_branch_of_a_directive(self):
        source = "#if A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n  g();\n}\nvoid h() {}\n"
        self.assertEqual(found(source), [("f", 2, 6), ("h", 8, 1)])

    def test_hold_their_lambdas_and_local_classes(self):
        source = "void f() {\n  struct S { int g() { return 1; } };\n  each([&](int i) {\n    use(i);\n  });\n}\n"
        self.assertEqual(found(source), [("f", 1, 6)])

    def test_may_be_lambdas_that_a_variable_starts_with(self):
        source = "const auto f = [](int a) -> int {\n  return a;\n};\nint a[2] = {g[1], 2};\n[[maybe_unused]] int b = call([] { return 1; });\n"
        self.assertEqual(found(source), [("lambda", 1, 3), ("lambda", 5, 1)])

    def test_of_macros_have_their_arguments_as_a_name(self):
        self.assertEqual(found("TEST(Suite, SaysIt) {\n  run();\n}\n"), [("TEST(Suite, SaysIt)", 1, 3)])


class Tree(unittest.TestCase):
    def test_has_no_function_that_is_too_long(self):
        files = sorted(file for ending in ("*.cc", "*.h") for file in (ROOT / "src").rglob(ending))
        functions = [(one.lines, f"{file.relative_to(ROOT)}:{one.line}", one.name)
                     for file in files for one in tool.functions_of(file.read_text(encoding="utf-8"))]
        self.assertGreater(len(functions), 1000)
        self.assertEqual([one for one in functions if one[0] > LONGEST], [], f"split them: at most {LONGEST} lines")


if __name__ == "__main__":
    unittest.main()
