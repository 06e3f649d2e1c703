// Names of kernel code, from whoever answers soonest: the kernel itself, asked for just these; or its list, which is
// read once and kept, and read again when an address is asked for that it cannot know.
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
  // Names addresses, as AskedKernel::resolve(); false: it cannot, or must not.
  using Ask = std::function<bool(std::span<const RuntimeAddress>, std::span<KernelSymbol>)>;
  // `open` opens /proc/kallsyms, or fails; `now_ns` counts up. `is_seldom`: of what the kernel does not tell itself
  // there is so little that its list is not kept for it.
  KernelNames(std::function<Fd()> open, std::function<std::uint64_t()> now_ns, Ask ask = {}, bool is_seldom = false);

  struct Answer {
    KernelSymbol symbol;      // pending when the kernel's symbols could not be opened
    bool is_settled = false;  // otherwise it is worth asking again in a while
  };
  // Of new modules and BPF programs it knows after a second at the latest: reading takes too long to do it more often.
  [[nodiscard]] std::vector<Answer> resolve(std::span<const RuntimeAddress> addresses);

  // How many addresses the kernel has told itself, and how often its list was opened.
  [[nodiscard]] std::uint64_t told() const { return told_; }
  [[nodiscard]] std::uint64_t readings() const { return readings_; }

 private:
  // Both fill in `answers` of these, which the kernel has not told itself.
  void read_once(std::span<const RuntimeAddress> addresses, std::span<Answer* const> answers);
  void look_up(std::span<const RuntimeAddress> addresses, std::span<Answer* const> answers);
  void read();
  // For how long after the table was read it is believed.
  [[nodiscard]] std::uint64_t believed_ns(RuntimeAddress address) const;

  std::function<Fd()> open_;
  std::function<std::uint64_t()> now_ns_;
  Ask ask_;
  bool is_seldom_;
  std::optional<KernelTable> table_;
  bool is_hopeless_ = false;  // the kernel tells nothing
  std::uint64_t read_at_ns_ = 0;
  std::uint64_t told_ = 0;
  std::uint64_t readings_ = 0;
};

}  // namespace profile
