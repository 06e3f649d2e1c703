// Names of kernel code for runs that ask again and again: the kernel's symbols are read once and kept, and read again
// when an address is asked for that they cannot know.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "support/fd.h"
#include "symbol/kernel_table.h"

namespace profile {

class KernelNames {
 public:
  // `open` opens /proc/kallsyms, or fails; `now_ns` counts up.
  KernelNames(std::function<Fd()> open, std::function<std::uint64_t()> now_ns);

  struct Answer {
    KernelSymbol symbol;      // pending when the kernel's symbols could not be opened
    bool is_settled = false;  // otherwise it is worth asking again in a while
  };
  // Of new modules and BPF programs it knows after a second at the latest: reading takes too long to do it more often.
  [[nodiscard]] std::vector<Answer> resolve(std::span<const RuntimeAddress> addresses);

 private:
  void read();
  // For how long after the table was read it is believed.
  [[nodiscard]] std::uint64_t believed_ns(RuntimeAddress address) const;

  std::function<Fd()> open_;
  std::function<std::uint64_t()> now_ns_;
  std::optional<KernelTable> table_;
  bool is_hopeless_ = false;  // the kernel tells nothing
  std::uint64_t read_at_ns_ = 0;
};

}  // namespace profile
