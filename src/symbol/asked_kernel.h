// Gets names of kernel code from the kernel itself, address by address (bpf/kernel_names.bpf.c). This takes
// microseconds for each, but the kernel's list of all names takes tens of milliseconds. The names are those of the
// list, by the same rules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "abi/kernel_names.h"
#include "elf/symbol.h"
#include "model/address.h"
#include "support/bpf.h"

namespace profile {

// The symbol in what the kernel prints for `address`: "vfs_read+0x10/0x2a0", "nf_hook+0x4/0x20 [nf_tables]", or the
// address when the kernel knows no name. In that case the symbol is pending: the list may have a name.
[[nodiscard]] KernelSymbol kernel_symbol_of(std::string_view printed, std::uint64_t address);

class AskedKernel {
 public:
  // False: this kernel cannot be asked, or not by this process. Otherwise fills in `answers` as above. It does not
  // check whether a name may be shown: the kernel prints here also what it hides in its list.
  [[nodiscard]] bool resolve(std::span<const RuntimeAddress> addresses, std::span<KernelSymbol> answers);

 private:
  [[nodiscard]] bool load();

  BpfObject object_;  // null: not loaded
  int program_fd_ = -1;
  std::optional<SharedValues<kernel_question>> questions_;  // the last part to be there
  bool is_hopeless_ = false;
};

}  // namespace profile
