// Names of kernel code from the kernel itself, asked for address by address (bpf/kernel_names.bpf.c): microseconds
// each, where its list of all names takes it tens of milliseconds. They are those of the list, by the same rules.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "elf/symbol_source.h"
#include "model/address.h"

namespace profile {

// What the kernel prints of `address`: "vfs_read+0x10/0x2a0", "nf_hook+0x4/0x20 [nf_tables]", or the address when it
// knows no name. Then it is pending: the list may know one.
[[nodiscard]] KernelSymbol kernel_symbol_of(std::string_view printed, std::uint64_t address);

class AskedKernel {
 public:
  AskedKernel();
  ~AskedKernel();
  // False: this kernel cannot be asked, or not by us. Otherwise answers as above. Whether it may be told is not its
  // business: what the kernel hides in its list it prints here.
  [[nodiscard]] bool resolve(std::span<const RuntimeAddress> addresses, std::span<KernelSymbol> answers);

 private:
  struct Program;
  [[nodiscard]] bool load();

  std::unique_ptr<Program> program_;
  bool is_hopeless_ = false;
};

}  // namespace profile
