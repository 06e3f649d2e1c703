// Gets names of kernel code from the source that answers soonest: the kernel itself, asked for just these addresses, or
// its list. The list is read once and kept, and read again when an address is wanted that it cannot know.
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
  // Names addresses as AskedKernel::resolve() does. False: it cannot, or it must not.
  using Ask = std::function<bool(std::span<const RuntimeAddress>, std::span<KernelSymbol>)>;
  // `open` opens /proc/kallsyms, or fails. `now_ns` counts up. `is_list_rare`: the kernel itself answers nearly all
  // addresses, so its list is not kept for the others.
  KernelNames(std::function<Fd()> open, std::function<std::uint64_t()> now_ns, Ask ask = {}, bool is_list_rare = false);

  struct Answer {
    KernelSymbol symbol;    // pending when the kernel's symbols could not be opened
    bool is_final = false;  // otherwise it is worth asking again after a while
  };
  // It knows new modules and BPF programs after a second at the latest. Reading takes too long to do it more often.
  [[nodiscard]] std::vector<Answer> resolve(std::span<const RuntimeAddress> addresses);

  // How many addresses the kernel itself has named, and how often its list was opened.
  [[nodiscard]] std::uint64_t named() const { return named_; }
  [[nodiscard]] std::uint64_t readings() const { return readings_; }

 private:
  // Both fill in `answers` for addresses that the kernel itself has not named.
  void read_once(std::span<const RuntimeAddress> addresses, std::span<Answer* const> answers);
  void look_up(std::span<const RuntimeAddress> addresses, std::span<Answer* const> answers);
  void read();
  // How long after its reading the table is believed for `address`.
  [[nodiscard]] std::uint64_t believed_ns(RuntimeAddress address) const;

  std::function<Fd()> open_;
  std::function<std::uint64_t()> now_ns_;
  Ask ask_;
  bool is_list_rare_;
  std::optional<KernelTable> table_;
  bool is_hopeless_ = false;  // the kernel shows no names
  std::uint64_t read_at_ns_ = 0;
  std::uint64_t named_ = 0;
  std::uint64_t readings_ = 0;
};

}  // namespace profile
