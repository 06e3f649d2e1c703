#include "symbol/kernel_names.h"

#include <algorithm>
#include <utility>

#include "symbol/kallsyms.h"

namespace profile {
namespace {

// How long the table is believed. Modules come and go seldom, and a module hardly ever takes the place of another.
constexpr std::uint64_t module_belief_ns = 10'000'000'000;
constexpr std::uint64_t change_belief_ns = 1'000'000'000;
// For more addresses than this the list answers sooner.
constexpr std::size_t most_asked = 20'000;

}  // namespace

KernelNames::KernelNames(std::function<Fd()> open, std::function<std::uint64_t()> now_ns, Ask ask, bool is_list_rare)
    : open_(std::move(open)), now_ns_(std::move(now_ns)), ask_(std::move(ask)), is_list_rare_(is_list_rare) {}

void KernelNames::read() {
  table_.reset();  // first, because the next table takes as much memory
  read_at_ns_ = now_ns_();
  ++readings_;
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
  std::vector<KernelSymbol> symbols(addresses.size());
  const bool is_asked = ask_ && addresses.size() <= most_asked && ask_(addresses, symbols);
  std::vector<Answer> answers(addresses.size());
  std::vector<RuntimeAddress> others;
  std::vector<Answer*> theirs;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (is_asked && symbols[i].unnamed != Unnamed::pending) {
      answers[i].symbol = std::move(symbols[i]);
      answers[i].is_final = answers[i].symbol.module == kernel_itself;
      ++named_;
    } else {
      others.push_back(addresses[i]);
      theirs.push_back(&answers[i]);
    }
  }
  if (others.empty()) return answers;
  if (is_asked && is_list_rare_) {
    read_once(others, theirs);
  } else {
    look_up(others, theirs);
  }
  return answers;
}

void KernelNames::read_once(std::span<const RuntimeAddress> addresses, std::span<Answer* const> answers) {
  std::vector<KernelSymbol> symbols(addresses.size());
  ++readings_;
  if (const Fd fd = open_()) symbols = resolve_kernel(fd.get(), addresses);
  for (std::size_t i = 0; i < answers.size(); ++i) *answers[i] = {.symbol = std::move(symbols[i]), .is_final = true};
}

void KernelNames::look_up(std::span<const RuntimeAddress> addresses, std::span<Answer* const> answers) {
  bool is_fresh = false;
  if (!table_ && !is_hopeless_) {
    read();
    is_fresh = true;
  }
  const std::uint64_t age_ns = now_ns_() - read_at_ns_;
  const auto is_too_old = [&](RuntimeAddress address) { return age_ns >= believed_ns(address); };
  if (!is_fresh && std::any_of(addresses.begin(), addresses.end(), is_too_old)) {
    read();
    is_fresh = true;
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (table_) answers[i]->symbol = table_->find(addresses[i]);
    answers[i]->is_final = is_fresh || believed_ns(addresses[i]) > change_belief_ns;
  }
}

}  // namespace profile
