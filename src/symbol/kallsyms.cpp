#include "symbol/kallsyms.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "symbol/kallsyms_lines.h"

namespace profile {
namespace {

// The last symbol so far between one of the given addresses and the one before it.
struct Slot {
  std::uint64_t start = 0;
  KernelRank rank = KernelRank::data;
  bool filled = false;
  std::string name;
  std::string module;
};

class Resolver {
 public:
  explicit Resolver(std::span<const RuntimeAddress> addresses) : addresses_(addresses), slots_(addresses.size()) {}

  void add(const KernelLine& line) {
    any_line_ = true;
    if (line.address == 0) return;
    any_address_ = true;
    const std::size_t index = slot_of(line.address);
    if (index == slots_.size()) return;
    Slot& slot = slots_[index];
    if (slot.filled && line.address < slot.start) return;
    if (slot.filled && line.address == slot.start && line.rank >= slot.rank) return;
    slot.start = line.address;
    slot.rank = line.rank;
    slot.filled = true;
    slot.name = line.name;
    slot.module = line.module;
  }

  [[nodiscard]] std::vector<KernelSymbol> answers() const {
    std::vector<KernelSymbol> answers(addresses_.size());
    const Slot* nearest = nullptr;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (slots_[i].filled) nearest = &slots_[i];
      KernelSymbol& answer = answers[i];
      answer.unnamed = any_line_ && !any_address_ ? Unnamed::kernel_hidden : Unnamed::no_symbol;
      if (nearest == nullptr || !names_code(nearest->rank)) continue;
      if (addresses_[i].value - nearest->start >= max_kernel_function_bytes) continue;
      answer.name = nearest->name;
      answer.start = nearest->start;
      answer.unnamed = Unnamed::named;
      answer.module = nearest->module.empty() ? kernel_itself : nearest->module;
    }
    return answers;
  }

 private:
  // The index of the first address at or above `start`. Most symbols ascend, so it is mostly the same as before.
  std::size_t slot_of(std::uint64_t start) {
    const bool above = last_slot_ == 0 || addresses_[last_slot_ - 1].value < start;
    const bool below = last_slot_ == addresses_.size() || start <= addresses_[last_slot_].value;
    if (!above || !below) {
      const auto found = std::ranges::lower_bound(addresses_, start, {}, &RuntimeAddress::value);
      last_slot_ = static_cast<std::size_t>(found - addresses_.begin());
    }
    return last_slot_;
  }

  std::span<const RuntimeAddress> addresses_;
  std::vector<Slot> slots_;
  std::size_t last_slot_ = 0;
  bool any_line_ = false;
  bool any_address_ = false;  // there is an address that is not zero
};

}  // namespace

std::vector<KernelSymbol> resolve_kernel(int kallsyms_fd, std::span<const RuntimeAddress> addresses) {
  Resolver resolver(addresses);
  for_each_kernel_line(kallsyms_fd, [&resolver](const KernelLine& line) { resolver.add(line); });
  return resolver.answers();
}

}  // namespace profile
