#include "parse/disassembler.h"

#include <capstone/capstone.h>
#include <dlfcn.h>

namespace profile {
namespace {

constexpr const char* capstone_name = "libcapstone.so.4";

struct Library {
  decltype(&cs_open) open = nullptr;
  decltype(&cs_close) close = nullptr;
  decltype(&cs_option) option = nullptr;
  decltype(&cs_malloc) make = nullptr;
  decltype(&cs_free) free = nullptr;
  decltype(&cs_disasm_iter) next = nullptr;
  bool is_whole = false;
};
Library library;

template <class Function>
bool capstone_function(void* from, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(::dlsym(from, name));
  return function != nullptr;
}

}  // namespace

bool Disassembler::load() noexcept {
  if (library.is_whole) return true;
  void* const from = ::dlopen(capstone_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  library.is_whole =
      from != nullptr && capstone_function(from, "cs_open", library.open) &&
      capstone_function(from, "cs_close", library.close) && capstone_function(from, "cs_option", library.option) &&
      capstone_function(from, "cs_malloc", library.make) && capstone_function(from, "cs_free", library.free) &&
      capstone_function(from, "cs_disasm_iter", library.next);
  return library.is_whole;
}

bool Disassembler::is_loaded() noexcept { return library.is_whole; }

Disassembler::Disassembler([[maybe_unused]] bool is_64bit) {
  if (!library.is_whole) return;
#ifdef __aarch64__
  const bool is_open = is_64bit && library.open(CS_ARCH_ARM64, CS_MODE_ARM, &handle_) == CS_ERR_OK;
#else
  const bool is_open = library.open(CS_ARCH_X86, is_64bit ? CS_MODE_64 : CS_MODE_32, &handle_) == CS_ERR_OK;
#endif
  if (!is_open) {
    handle_ = 0;
    return;
  }
  library.option(handle_, CS_OPT_SKIPDATA, CS_OPT_ON);
#ifndef __aarch64__
  library.option(handle_, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);  // as objdump, gdb and perf show it
#endif
}

Disassembler::~Disassembler() {
  if (handle_ != 0) library.close(&handle_);
}

void Disassembler::each(std::span<const std::byte> code, std::uint64_t address, const Visit& visit) const {
  if (handle_ == 0) return;
  cs_insn* const instruction = library.make(handle_);
  if (instruction == nullptr) return;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(code.data());
  std::size_t size = code.size();
  while (library.next(handle_, &bytes, &size, &address, instruction)) {
    if (!visit(instruction->address, instruction->size, instruction->mnemonic, instruction->op_str)) break;
  }
  library.free(instruction, 1);
}

}  // namespace profile
