// PTX for tests: a kernel around a few statements, and a module back as text to compare with.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "ingest/ptx/read_module.h"

namespace frx::ingest::ptx {
namespace model = ::frx::model::ptx;
}

namespace frx::ingest::ptx::testing {

// A kernel that declares %p0..7, %r0..31, %rd0..31, %f0..31, %fd0..7 and holds `body`.
inline std::string kernel(std::string_view body) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
         ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<32>;\n.reg .f64 %fd<8>;\n" +
         std::string(body) + "\n}\n";
}

// The module of a text without errors.
inline model::Module module_of(const std::string& text) {
  Result<model::Module> module = read_module("test.ptx", text);
  if (!module) {
    ADD_FAILURE() << to_string(module.error());
    return {};
  }
  EXPECT_EQ(module->skipped_statements, 0u) << (module->problems.empty() ? "" : module->problems.front());
  return std::move(*module);
}

inline std::string register_name(const model::Module& module, const model::Function& function, std::uint32_t number) {
  for (const model::RegisterBank& bank : module.in(module.banks, function.banks)) {
    if (number - bank.first >= bank.count) continue;
    const std::string name(module.names[bank.name]);
    return bank.numbered ? name + std::to_string(number - bank.first) : name;
  }
  return "?";
}

// The spelling of one operand as the reader understood it; moves to after its parts.
inline std::string spelled(const model::Module& module, const model::Function& function, const model::Operand*& at) {
  using Operand = model::Operand;
  const Operand& it = *at++;
  std::string text = it.flags & Operand::negated ? "!" : it.flags & Operand::minus ? "-" : "";
  switch (it.kind) {
    case Operand::sink: return text + "_";
    case Operand::reg: return text + register_name(module, function, it.value);
    case Operand::special: return text + std::string(module.names[module.specials[it.value].name]);
    case Operand::integer: return text + std::to_string(it.signed_value());
    case Operand::wide: return text + (it.flags & Operand::is_double ? "double:" : "wide:") + std::to_string(module.constants[it.value]);
    case Operand::real: return text + "real:" + std::to_string(it.value);
    case Operand::label: return text + "label:" + std::string(module.names[module.labels[it.value].name]);
    case Operand::symbol: return text + std::string(module.names[it.value]);
    case Operand::address: text += "address"; break;
    case Operand::vector: text += "vector"; break;
    case Operand::list: text += "list"; break;
    case Operand::pair: text += "pair"; break;
    case Operand::selected: text += "part:" + std::string(module.names[it.value]); break;
  }
  if (it.kind == Operand::address) {
    if (it.flags & Operand::is_value) text += "-of";
    if (it.flags & Operand::is_element) text += "-element";
    if (it.value != 0) text += (it.signed_value() > 0 ? "+" : "") + std::to_string(it.signed_value());
  }
  text += '(';
  for (const Operand* const end = at + it.parts; at < end;) {
    if (text.back() != '(') text += ' ';
    text += spelled(module, function, at);
  }
  return text + ')';
}

// "@!%p1 ld.global.f32 %f1 address+16(%rd4)"
inline std::string spelled(const model::Module& module, const model::Function& function, const model::Instruction& it) {
  std::string text;
  if (it.predicate != model::none) {
    text = (it.predicate_negated ? "@!" : "@") + register_name(module, function, it.predicate) + " ";
  }
  text += module.form_of(it).text;
  const std::span<const model::Operand> operands = module.operands_of(it);
  for (const model::Operand* at = operands.data(); at < operands.data() + operands.size();) {
    text += " " + spelled(module, function, at);
  }
  return text;
}

// The instructions of the last function, one on each line.
inline std::string code(const model::Module& module) {
  std::string text;
  if (module.functions.empty()) return text;
  for (const model::Instruction& it : module.code(module.functions.back())) {
    text += spelled(module, module.functions.back(), it) + "\n";
  }
  return text;
}

// The same for the body of a kernel.
inline std::string code_of(std::string_view body) { return code(module_of(kernel(body))); }

}  // namespace frx::ingest::ptx::testing
