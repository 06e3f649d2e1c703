#include "symbol/kernel_names.h"

#include <algorithm>
#include <utility>

namespace profile {
namespace {

// Modules come and go seldom, and hardly ever does one take the place of another.
constexpr std::uint64_t module_belief_ns = 10'000'000'000;
constexpr std::uint64_t change_belief_ns = 1'000'000'000;

}  // namespace

KernelNames::KernelNames(std::function<Fd()> open, std::function<std::uint64_t()> now_ns)
    : open_(std::move(open)), now_ns_(std::move(now_ns)) {}

void KernelNames::read() {
  table_.reset();  // before the next one takes as much memory
  read_at_ns_ = now_ns_();
  const Fd fd = open_();
  if (fd) table_.emplace(fd.get());
  is_hopeless_ = !table_ || table_->is_hidden();
}

std::uint64_t KernelNames::believed_ns(RuntimeAddress address) const {
  if (is_hopeless_) return UINT64_MAX;
  switch (table_->holds(address)) {
    case KernelTable::Holds::always:
      return UINT64_MAX;
    case KernelTable::Holds::while_loaded:
      return module_belief_ns;
    case KernelTable::Holds::until_changed:
      break;
  }
  return change_belief_ns;
}

std::vector<KernelNames::Answer> KernelNames::resolve(std::span<const RuntimeAddress> addresses) {
  bool is_fresh = false;
  if (!table_ && !is_hopeless_) {
    read();
    is_fresh = true;
  }
  const std::uint64_t age_ns = now_ns_() - read_at_ns_;
  const auto is_doubtful = [&](RuntimeAddress address) { return age_ns >= believed_ns(address); };
  if (!is_fresh && std::any_of(addresses.begin(), addresses.end(), is_doubtful)) {
    read();
    is_fresh = true;
  }
  std::vector<Answer> answers(addresses.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (table_) answers[i].symbol = table_->find(addresses[i]);
    answers[i].is_settled = is_fresh || believed_ns(addresses[i]) > change_belief_ns;
  }
  return answers;
}

}  // namespace profile
