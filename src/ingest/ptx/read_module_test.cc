#include "ingest/ptx/read_module.h"

#include "ingest/ptx/testing.h"

namespace frx::ingest::ptx {
namespace {

using testing::code;
using testing::code_of;
using testing::kernel;
using testing::module_of;

std::string_view name(const model::Module& module, std::uint32_t id) { return module.names[id]; }

TEST(PtxModule, VersionTargetsAndAddressSize) {
  const model::Module module = module_of("// made by hand\n.version 8.3\n.target sm_90a, debug\n.address_size 64\n");
  EXPECT_EQ(module.version.major, 8);
  EXPECT_EQ(module.version.minor, 3);
  EXPECT_EQ(module.targets, (std::vector<std::string>{"sm_90a", "debug"}));
  EXPECT_EQ(module.address_size, 64);
}

TEST(PtxModule, KernelsAndFunctionsOfAnyLinkage) {
  const model::Module module = module_of(
      ".version 8.0\n.entry a() { ret; }\n.visible .entry b { ret; }\n.weak .entry c() { ret; }\n"
      ".extern .func (.param .b32 r) d (.param .b64 x, .param .b64 y)\n;\n.func e() { ret; }");
  ASSERT_EQ(module.functions.size(), 5u);
  const std::vector<model::Linkage> linkages = {model::Linkage::none, model::Linkage::visible, model::Linkage::weak,
                                                model::Linkage::external, model::Linkage::none};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(module.functions[i].linkage, linkages[i]) << i;
    EXPECT_EQ(module.functions[i].kind, i < 3 ? model::Function::entry : model::Function::func) << i;
    EXPECT_EQ(module.functions[i].has_body, i != 3) << i;
  }
  EXPECT_EQ(module.functions[3].returns.size(), 1u);
  EXPECT_EQ(module.functions[3].parameters.size(), 2u);
}

TEST(PtxModule, ParametersSayWhatTheyPointTo) {
  const model::Module module =
      module_of(".version 8.0\n.entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[24], .param .f32 x) { ret; }");
  const auto parameters = module.in(module.variables, module.functions[0].parameters);
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_TRUE(parameters[0].is_pointer);
  EXPECT_EQ(parameters[0].points_to, model::Space::global);
  EXPECT_EQ(parameters[0].pointee_align, 16u);
  EXPECT_EQ(parameters[0].bytes, 8u);
  EXPECT_EQ(parameters[1].bytes, 24u);
  EXPECT_EQ(parameters[1].align, 8u);
  EXPECT_EQ(parameters[2].type, model::Type::f32);
  EXPECT_EQ(parameters[2].space, model::Space::parameter);
}

TEST(PtxModule, LimitsOfAKernel) {
  const model::Module module = module_of(
      ".version 8.0\n.entry k() .maxntid 256, 2 .minnctapersm 3 .maxnreg 40 .reqnctapercluster 2,1,1 .maxclusterrank 8 { ret; }\n"
      ".entry r() .reqntid 32, 4, 1\n.explicitcluster { ret; }");
  const model::Limits& limits = module.functions[0].limits;
  EXPECT_EQ(limits.max_threads, (std::array<std::uint32_t, 3>{256, 2, 1}));
  EXPECT_EQ(limits.min_blocks, 3u);
  EXPECT_EQ(limits.max_registers, 40u);
  EXPECT_EQ(limits.cluster, (std::array<std::uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(limits.max_cluster, 8u);
  EXPECT_EQ(module.functions[1].limits.required_threads, (std::array<std::uint32_t, 3>{32, 4, 1}));
  EXPECT_TRUE(module.functions[1].limits.explicit_cluster);
}

TEST(PtxModule, VariablesWithTheirSizes) {
  const model::Module module = module_of(
      ".version 8.0\n.extern .shared .align 16 .b8 s[];\n.global .align 4 .u32 t[2][3] = {{1, 2, 3}, {4, 5, 6}};\n"
      ".const .f32 c[] = {0f3F800000, 1.5, -2};\n.global .v4 .f32 v;\n.global .attribute(.managed) .u64 p = generic(t)+4;\n"
      ".global .texref tex;\n.shared .b32 m[2], q;");
  const std::vector<std::pair<std::string_view, std::uint64_t>> sizes = {{"s", 0}, {"t", 24},  {"c", 12}, {"v", 16},
                                                                         {"p", 8}, {"tex", 8}, {"m", 8},  {"q", 4}};
  ASSERT_EQ(module.globals.size(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const model::Variable& variable = module.variables[module.globals[i]];
    EXPECT_EQ(name(module, variable.name), sizes[i].first);
    EXPECT_EQ(variable.bytes, sizes[i].second) << sizes[i].first;
    EXPECT_EQ(variable.is_unsized, i == 0) << sizes[i].first;
  }
}

TEST(PtxModule, RegistersAreNumberedThroughTheirBanks) {
  const model::Module module = module_of(kernel("mov.u32 %r31, %r0;\nmov.f32 %f0, %f31;"));
  EXPECT_EQ(module.functions[0].register_count, 8u + 32 + 32 + 32 + 8);
  EXPECT_EQ(code(module), "mov.u32 %r31 %r0\nmov.f32 %f0 %f31\n");
}

TEST(PtxModule, InnerDeclarationsHideOuterOnes) {
  const model::Module module = module_of(
      kernel("{\n.reg .pred %p1;\n.reg .b32 x;\nsetp.eq.s32 %p1, %r1, 0;\nmov.b32 x, 1;\n{ .reg .b32 x; mov.b32 x, 2; }\nmov.b32 x, 3;\n}\n"
             "@%p1 ret;"));
  const auto instructions = module.code(module.functions[0]);
  const auto target = [&](std::size_t i) { return module.operands_of(instructions[i])[0].value; };
  EXPECT_NE(target(0), instructions[4].predicate);  // the inner %p1 is another one
  EXPECT_EQ(target(1), target(3));
  EXPECT_NE(target(1), target(2));
}

TEST(PtxModule, APrefixMayEndInADigit) {
  const model::Module module = module_of(kernel("{ .reg .b32 %r1<4>; mov.u32 %r13, %r1; mov.u32 %r15, %r2; }"));
  const auto instructions = module.code(module.functions[0]);
  EXPECT_EQ(module.operands_of(instructions[0])[0].value, module.banks.back().first + 3);
  EXPECT_EQ(module.operands_of(instructions[1])[0].value, module.banks[1].first + 15);
}

TEST(PtxModule, LabelsBelongToTheirBlock) {
  const model::Module module = module_of(kernel("{ L: bra L; }\n{ L: bra L; }\nbra END;\n{ bra END; }\nEND: ret;"));
  const auto instructions = module.code(module.functions[0]);
  const auto target = [&](std::size_t i) { return module.labels[module.operands_of(instructions[i])[0].value].instruction; };
  EXPECT_EQ(target(0), 0u);
  EXPECT_EQ(target(1), 1u);
  EXPECT_EQ(target(2), 4u);
  EXPECT_EQ(target(3), 4u);
}

TEST(PtxModule, IndirectBranchesNameTheirTargets) {
  const model::Module module = module_of(kernel("ts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA: ret;\nB: exit;"));
  EXPECT_EQ(code(module), "brx.idx %r1 label:ts\nret\nexit\n");
  ASSERT_EQ(module.target_lists.size(), 1u);
  const auto targets = module.in(module.operands, module.target_lists[0].operands);
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(module.labels[targets[1].value].instruction, 2u);
}

TEST(PtxModule, PrototypesAndPragmasAreNoInstructions) {
  EXPECT_EQ(code_of("proto : .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);\n.pragma \"nounroll\";\nret;"), "ret\n");
}

TEST(PtxModule, SourceLinesWithTheCallsThatWereInlined) {
  const model::Module module = module_of(
      ".version 8.0\n.entry k() {\n.loc 1 30 5\nbar.sync 0;\n.loc 2 7 3, function_name $L__info_string0, inlined_at 1 30 5\nret;\n}\n"
      ".file 1 \"k.cu\"\n.file 2 \"h.cuh\", 1700000000, 12\n.section .debug_str\n{\n$L__info_string0:\n.b8 95,90\n.b8 52,102,0\n}\n");
  const auto instructions = module.code(module.functions[0]);
  const model::Place& place = module.places[instructions[1].place];
  EXPECT_EQ(place.line, 7u);
  EXPECT_EQ(name(module, place.function), "_Z4f");
  ASSERT_NE(place.called_from, model::none);
  EXPECT_EQ(module.places[place.called_from].line, 30u);
  ASSERT_EQ(module.files.size(), 2u);
  EXPECT_EQ(module.files[1].path, "h.cuh");
  ASSERT_EQ(module.sections.size(), 1u);
}

TEST(PtxModule, InstructionsKnowTheirLine) {
  const model::Module module = module_of(kernel("/* two\nlines */ ret; // end\n# 1 \"a.cu\"\nexit;"));
  const auto instructions = module.code(module.functions[0]);
  EXPECT_EQ(instructions[0].line, 12u);
  EXPECT_EQ(instructions[1].line, 14u);
}

// As tile compilers write it: guarded accesses with spaced operands, and zeros in braces.
TEST(PtxModule, GuardedAccessesInBlocks) {
  EXPECT_EQ(code_of("// begin inline asm\n{ mov.u32 %r1, 0x0;\n@%p1 ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];\n}\n"
                    "// end inline asm\n@!%p2 st.global.b32 [ %rd2 + -8 ], { %r1 };"),
            "mov.u32 %r1 0\n@%p1 ld.global.v4.b32 vector(%r1 %r2 %r3 %r4) address(%rd1)\n"
            "@!%p2 st.global.b32 address-8(%rd2) vector(%r1)\n");
}

// As compilers wrote it before PTX 2.0.
TEST(PtxModule, TheFirstVersions) {
  const model::Module module = module_of(
      "\t.version 1.4\n\t.target sm_13, map_f64_to_f32\n\t.file\t1\t\"<command-line>\"\n\t.entry k (\n\t\t.param .u32 __cudaparm_k_n)\n"
      "\t{\n\t.reg .u16 %rh<4>;\n\t.reg .u32 %r<4>, $s;\n\t.loc\t28\t1\t0\n$LDWbegin_k:\n\tcvt.u32.u16 %r1, %tid.x;\n"
      "\tld.param.u32 $s, [__cudaparm_k_n];\n\tmul24.lo.u32 %r2, %r1, $s;\n\texit;\n$LDWend_k:\n\t} // k\n");
  EXPECT_EQ(code(module), "cvt.u32.u16 %r1 %tid.x\nld.param.u32 $s address(__cudaparm_k_n)\nmul24.lo.u32 %r2 %r1 $s\nexit\n");
  EXPECT_EQ(module.targets.back(), "map_f64_to_f32");
}

TEST(PtxModule, WhatIsNoPtxIsRefused) {
  for (const char* text : {"", "hello", "int main() { return 0; }", "{\"a\": 1}"}) {
    EXPECT_FALSE(read_module("x", text)) << text;
    EXPECT_FALSE(looks_like_ptx(text)) << text;
  }
  EXPECT_TRUE(looks_like_ptx("//\n// Generated\n\n.version 7.8\n.target sm_80"));
}

TEST(PtxModule, ADamagedStatementCostsOnlyItself) {
  const Result<model::Module> module = read_module("d.ptx", kernel("mov.u32 %r1, ;\nadd.s32 %r1 %r2, %r3;\nmov.b64 {%r1, ?}, %rd1;\nret;"));
  ASSERT_TRUE(module);
  EXPECT_EQ(module->skipped_statements, 3u);
  EXPECT_EQ(module->problems.front(), "d.ptx:11: expected an operand, found ';'");
  EXPECT_EQ(code(*module), "ret\n");
  EXPECT_FALSE(module->functions[0].is_complete);
}

TEST(PtxModule, AFunctionThatIsCutOffKeepsWhatItHas) {
  const Result<model::Module> module = read_module("d.ptx", kernel("bar.sync 0;").substr(0, kernel("bar.sync 0;").size() - 3));
  ASSERT_TRUE(module);
  EXPECT_EQ(module->problems.front(), "d.ptx:11: expected '}', found the end of the file");
  EXPECT_EQ(code(*module), "bar.sync 0\n");
}

TEST(PtxModule, ANewFunctionEndsOneWhoseBraceIsMissing) {
  const Result<model::Module> module = read_module("d.ptx", ".version 8.0\n.entry a() { ret;\n.visible .entry b() { exit; }");
  ASSERT_TRUE(module);
  ASSERT_EQ(module->functions.size(), 2u);
  EXPECT_FALSE(module->functions[0].is_complete);
  EXPECT_TRUE(module->functions[1].is_complete);
}

TEST(PtxModule, AFunctionWithoutANameEndsAtTheNextOne) {
  const Result<model::Module> module = read_module("d.ptx", ".version 8.0\n.func .func .entry b() { exit; }");
  ASSERT_TRUE(module);
  ASSERT_EQ(module->functions.size(), 1u);
  EXPECT_EQ(module->skipped_statements, 2u);
}

TEST(PtxModule, ClaimsOfAFileCostNothing) {
  const model::Module module = module_of(".version 8.0\n.entry k() { .reg .b32 %r<4000000000>; mov.u32 %r3999999999, 0; ret; }");
  EXPECT_EQ(module.functions[0].register_count, 4000000000u);
  EXPECT_EQ(read_module("x", ".version 8.0\n.global .b8 a[281474976710657];")->skipped_statements, 1u);
}

TEST(PtxModule, DeepNestingIsRefused) {
  std::string braces(300, '{'), brackets = "mov.u32 %r1, " + std::string(1000, '(') + "1;", ends(300, '}');
  EXPECT_GT(read_module("x", kernel(braces + ends))->skipped_statements, 0u);
  EXPECT_EQ(read_module("x", kernel(brackets))->skipped_statements, 1u);
}

TEST(PtxModule, AFileMayComeInTwoParts) {
  const model::Module module = module_of(".version 7.1\n.target sm_75\n.file 1 \"/home/me\" \"k.cl\"\n.file 2 \"/usr\" \"h.h\", 17, 5\n");
  ASSERT_EQ(module.files.size(), 2u);
  EXPECT_EQ(module.files[0].path, "/home/me/k.cl");
  EXPECT_EQ(module.files[1].path, "/usr/h.h");
}

}  // namespace
}  // namespace frx::ingest::ptx
