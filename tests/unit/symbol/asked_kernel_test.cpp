// Tests how the text that the kernel prints for an address becomes a symbol.
// The kernel may print a name, an offset and a module, or only the address.
#include "symbol/asked_kernel.h"

#include <doctest/doctest.h>

#include <string>

using namespace profile;

namespace {

constexpr std::uint64_t address = 0xffffffff81000110;

// "name -OFFSET [module]"; "unknown": the symbol is still pending; "none": any other reason.
std::string shown(std::string_view printed) {
  const KernelSymbol symbol = kernel_symbol_of(printed, address);
  if (symbol.unnamed == Unnamed::pending) return "unknown";
  if (symbol.unnamed != Unnamed::named) return "none";
  return symbol.name + " -" + std::to_string(address - symbol.start) + " [" + symbol.module + "]";
}

}  // namespace

TEST_CASE("the kernel's text for an address has a name, an offset and sometimes a module") {
  CHECK(shown("vfs_read+0x10/0x2a0") == "vfs_read -16 [kernel]");
  CHECK(shown("nf_hook+0x0/0x20 [nf_tables]") == "nf_hook -0 [nf_tables]");
  CHECK(shown("f.llvm.123+0xabc/0xfff") == "f.llvm.123 -2748 [kernel]");
  CHECK(shown(std::string(511, 'n') + "+0x1/0x2 [m]") == std::string(511, 'n') + " -1 [m]");
}

TEST_CASE("the padding before a function has its name, and an address after the code has none") {
  CHECK(shown("__pfx_vfs_read+0x3/0x10") == "vfs_read -3 [kernel]");
  CHECK(shown("__cfi_vfs_read+0x3/0x10 [m]") == "vfs_read -3 [m]");
  CHECK(shown("__pfx_+0x3/0x10") == "__pfx_ -3 [kernel]");
  CHECK(shown("_etext+0x1/0x1000") == "none");
  CHECK(shown("_einittext+0x1/0x1000") == "none");
  CHECK(shown("f+0x7fffff/0xffffff") == "f -8388607 [kernel]");
  CHECK(shown("f+0x800000/0xffffff") == "none");
}

TEST_CASE("code of BPF programs is distinguished from the kernel's own code") {
  CHECK(shown("bpf_prog_6deef7357e7b4530_f+0x10/0x20") == "bpf_prog_6deef7357e7b4530_f -16 [bpf]");
  CHECK(shown("bpf_prog_6deef7357e7b4530+0x10/0x20") == "bpf_prog_6deef7357e7b4530 -16 [bpf]");
  CHECK(shown("bpf_trampoline_6442536467+0x10/0x20") == "bpf_trampoline_6442536467 -16 [bpf]");
  CHECK(shown("bpf_dispatcher_xdp+0x10/0x20") == "bpf_dispatcher_xdp -16 [bpf]");
  CHECK(shown("bpf_prog_put+0x10/0x20") == "bpf_prog_put -16 [kernel]");
  CHECK(shown("bpf_prog_array_alloc+0x10/0x20") == "bpf_prog_array_alloc -16 [kernel]");
  CHECK(shown("bpf_trampoline_add+0x10/0x20") == "bpf_trampoline_add -16 [kernel]");
  CHECK(shown("bpf_trampoline_put+0x10/0x20") == "bpf_trampoline_put -16 [kernel]");
  CHECK(shown("bpf_dispatcher_xdp_func+0x10/0x20") == "bpf_dispatcher_xdp_func -16 [kernel]");
}

TEST_CASE("an address without a name from the kernel stays unknown") {
  for (const char* printed : {"", "0xffffffff81000110", "+0x10/0x20", "f", "f+0x", "f+0x10", "f+0xzz/0x10", "f [m]",
                              "f+0xfffffffffffffffff/0x1", "f+0xffffffffffffffff/0x1", "(null)", " [", " []"}) {
    CHECK(shown(printed) == "unknown");
  }
}
