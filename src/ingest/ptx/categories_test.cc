#include "ingest/ptx/categories.h"

#include "ingest/ptx/testing.h"

namespace frx::ingest::ptx {
namespace {

const InstructionSet& instruction_set() {
  static const InstructionSet set = InstructionSet::load(knowledge::Library::builtin()).value();
  return set;
}

// The properties of an instruction with this spelling.
model::Form form(std::string_view text) {
  model::Module module;
  module.forms.push_back({});
  module.forms[0].text = std::string(text);
  instruction_set().describe(module);
  EXPECT_TRUE(module.forms[0].known) << text;
  return module.forms[0];
}

std::string_view category(std::string_view text) { return model::name_of(form(text).category); }

TEST(PtxCategories, TheDocumentedOnes) {
  const std::vector<std::pair<std::string_view, std::string_view>> expected = {{"ld.global.f32", "global_load"},
                                                                               {"st.global.v4.u32", "global_store"},
                                                                               {"ld.shared.u8", "shared_load"},
                                                                               {"st.shared::cluster.u32", "shared_store"},
                                                                               {"ld.local.f64", "local_load"},
                                                                               {"st.local.u32", "local_store"},
                                                                               {"atom.global.add.f32", "atomic"},
                                                                               {"red.shared.add.u32", "atomic"},
                                                                               {"bra.uni", "control_flow"},
                                                                               {"call.uni", "control_flow"},
                                                                               {"exit", "control_flow"},
                                                                               {"cvt.rn.f32.f64", "conversion"},
                                                                               {"cvta.to.global.u64", "conversion"},
                                                                               {"setp.lt.s32", "comparison"},
                                                                               {"selp.f64", "comparison"},
                                                                               {"fma.rn.f64", "fp64"},
                                                                               {"add.f16x2", "fp16"},
                                                                               {"fma.rn.bf16", "fp16"},
                                                                               {"mul.f32", "fp32"},
                                                                               {"mov.f32", "fp32"},
                                                                               {"mad.lo.s32", "integer"},
                                                                               {"mov.u64", "integer"},
                                                                               {"and.pred", "other"},
                                                                               {"bar.sync", "barrier"}};
  for (const auto& [text, name] : expected) EXPECT_EQ(category(text), name) << text;
}

TEST(PtxCategories, MatrixInstructionsOfAllGenerations) {
  for (const char* text :
       {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", "tcgen05.mma.cta_group::1.kind::f16", "tcgen05.wait::ld.sync.aligned"}) {
    EXPECT_EQ(category(text), "tensor") << text;
  }
}

TEST(PtxCategories, CopiesBesideTheProgram) {
  const model::Form copy = form("cp.async.cg.shared.global.L2::128B");
  EXPECT_EQ(copy.category, model::Category::global_load);
  EXPECT_TRUE(copy.is_asynchronous);
  EXPECT_EQ(copy.space, model::Space::global);
  EXPECT_EQ(copy.size_operand, 2);
  EXPECT_EQ(category("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"), "global_load");
  EXPECT_EQ(category("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group"), "global_store");
  EXPECT_EQ(category("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"), "atomic");
  EXPECT_EQ(category("cp.async.wait_group"), "other");
}

TEST(PtxCategories, QualifiersBetweenOpcodeAndSpaceChangeNothing) {
  for (const char* text : {"ld.volatile.global.u32", "ld.relaxed.gpu.global.u32", "ld.acquire.sys.global.b32",
                           "ld.weak.global.nc.L1::no_allocate.L2::cache_hint.v4.f32", "ldu.global.f32"}) {
    EXPECT_EQ(category(text), "global_load") << text;
  }
}

TEST(PtxCategories, AGenericAddressDoesNotSayWhatItAccesses) {
  EXPECT_EQ(category("ld.u32"), "other");
  EXPECT_EQ(form("ld.u32").access_bytes, 4);
  EXPECT_EQ(form("ld.u32").result, model::Variance::lane);
  EXPECT_EQ(category("ld.param.u64"), "other");
}

TEST(PtxCategories, SpecialFunctions) {
  for (const char* text : {"sin.approx.ftz.f32", "ex2.approx.f16x2", "rcp.approx.f32", "sqrt.approx.f32", "tanh.approx.f32"}) {
    EXPECT_EQ(category(text), "sfu") << text;
  }
  EXPECT_EQ(category("sqrt.rn.f64"), "fp64");
  EXPECT_EQ(category("rcp.rn.f32"), "fp32");
}

TEST(PtxCategories, BytesOfAnAccess) {
  EXPECT_EQ(form("ld.global.v4.f32").access_bytes, 16);
  EXPECT_EQ(form("ld.global.v8.b32").access_bytes, 32);
  EXPECT_EQ(form("st.shared.v2.u64").access_bytes, 16);
  EXPECT_EQ(form("ld.global.u8").access_bytes, 1);
  EXPECT_EQ(form("ldmatrix.sync.aligned.m8n8.x4.shared.b16").access_bytes, 16);
  EXPECT_EQ(form("cp.async.ca.shared.global").access_bytes, 0);
}

TEST(PtxCategories, WhatIsUnknownIsReportedAndNotGuessed) {
  model::Module module =
      testing::module_of(testing::kernel("loadx.global.u32 %r1, [%rd1]; mov.u32 %r1, %tid.x; mov.u32 %r1, %envreg3; mov.u32 %r1, %magic;\n"
                                         "tcgen05.sing; ld.global.u32 %r1, [%rd1];"));
  instruction_set().describe(module);
  EXPECT_EQ(unknown_names(module), (std::vector<std::string>{"%magic", "loadx.global.u32", "tcgen05.sing"}));
  EXPECT_EQ(module.forms[0].category, model::Category::other);
}

TEST(PtxCategories, LanesOfAWarp) {
  EXPECT_EQ(form("shfl.sync.bfly.b32").result, model::Variance::lane);
  EXPECT_EQ(form("vote.sync.ballot.b32").result, model::Variance::uniform);
  EXPECT_EQ(form("match.any.sync.b32").result, model::Variance::lane);
  EXPECT_EQ(form("add.s32").result, model::Variance::unknown);
}

}  // namespace
}  // namespace frx::ingest::ptx
