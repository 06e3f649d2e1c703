// Compares the two readers of the kernel's names: the one that asks the kernel, and the one that reads /proc/kallsyms.
// stdin has hexadecimal addresses, one per line; stdout gets "N addresses, M unknown, K wrong", after the differences.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "support/fd.h"
#include "symbol/asked_kernel.h"
#include "symbol/kallsyms.h"

using namespace profile;

namespace {

std::string shown(const KernelSymbol& symbol) {
  if (symbol.unnamed != Unnamed::named) return "reason " + std::to_string(static_cast<int>(symbol.unnamed));
  char start[32];
  std::snprintf(start, sizeof start, "%lx", static_cast<unsigned long>(symbol.start));
  return symbol.name + " from " + start + " [" + symbol.module + "]";
}

bool is_of_bpf(const KernelSymbol& one, const KernelSymbol& other) {
  return one.module == "bpf" || other.module == "bpf";
}

}  // namespace

int main() {
  std::vector<RuntimeAddress> addresses;
  for (std::string line; std::getline(std::cin, line);) addresses.push_back({std::strtoull(line.c_str(), nullptr, 16)});
  std::ranges::sort(addresses, {}, &RuntimeAddress::value);
  const auto is_same = [](RuntimeAddress a, RuntimeAddress b) { return a.value == b.value; };
  addresses.erase(std::unique(addresses.begin(), addresses.end(), is_same), addresses.end());

  AskedKernel kernel;
  std::vector<KernelSymbol> asked(addresses.size());
  if (!kernel.resolve(addresses, asked)) {
    std::cout << "this kernel cannot be asked\n";
    return 77;
  }
  // Tries again, because BPF programs come and go.
  std::size_t wrong = 0;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const Fd list(::open("/proc/kallsyms", O_RDONLY | O_CLOEXEC));
    const std::vector<KernelSymbol> listed = resolve_kernel(list.get(), addresses);
    std::vector<KernelSymbol> again(addresses.size());
    if (!kernel.resolve(addresses, again)) return 1;
    wrong = 0;
    bool may_have_changed = false;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      // An address that the kernel does not know is looked up in the list.
      if (again[i].unnamed == Unnamed::pending || shown(again[i]) == shown(listed[i])) continue;
      may_have_changed = may_have_changed || is_of_bpf(again[i], listed[i]);
      if (++wrong < 20) {
        std::cout << std::hex << addresses[i].value << std::dec << ": asked " << shown(again[i]) << ", listed "
                  << shown(listed[i]) << '\n';
      }
    }
    if (!may_have_changed) break;
  }
  const auto unknown = std::ranges::count(asked, Unnamed::pending, &KernelSymbol::unnamed);
  std::cout << addresses.size() << " addresses, " << unknown << " unknown, " << wrong << " wrong\n";
  return wrong == 0 ? 0 : 1;
}
