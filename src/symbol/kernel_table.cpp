#include "symbol/kernel_table.h"

#include <algorithm>
#include <string_view>

namespace profile {
namespace {

// More modules than any machine loads, and more bytes of names than any kernel has. The symbols beyond have no names.
constexpr std::size_t most_modules = UINT16_MAX;
constexpr std::size_t most_name_bytes = 256 << 20;

// These are printed in a module's place for code that the kernel makes while it runs.
bool is_made_at_run_time(std::string_view module) { return module == "bpf" || module.starts_with("__builtin__"); }

}  // namespace

KernelTable::KernelTable(int kallsyms_fd) : names_(1, '\0'), modules_{std::string(kernel_itself)} {
  for_each_kernel_line(kallsyms_fd, [this](const KernelLine& line) { add(line); });
  finish();
}

std::uint16_t KernelTable::module_id(std::string_view name) {
  if (name.empty()) return 0;
  // The symbols of a module are listed one after the other.
  for (std::size_t id = modules_.size(); id-- > 1;) {
    if (modules_[id] == name) return static_cast<std::uint16_t>(id);
  }
  if (modules_.size() < most_modules) modules_.emplace_back(name);
  return static_cast<std::uint16_t>(modules_.size() - 1);
}

void KernelTable::add(const KernelLine& line) {
  any_line_ = true;
  if (line.address == 0) return;
  Entry entry{.address = line.address, .name = 0, .module = module_id(line.module), .rank = line.rank};
  if (names_.size() >= most_name_bytes) entry.rank = KernelRank::data;
  if (names_code(entry.rank)) {
    entry.name = static_cast<std::uint32_t>(names_.size());
    names_.append(line.name).push_back('\0');
  }
  entries_.push_back(entry);
}

// Keeps the best entry of each address. Of data entries that follow each other it keeps only the first.
void KernelTable::finish() {
  const auto better = [](const Entry& a, const Entry& b) {
    if (a.address != b.address) return a.address < b.address;
    if (a.rank != b.rank) return a.rank < b.rank;
    return a.name < b.name;  // the first one in the text
  };
  std::sort(entries_.begin(), entries_.end(), better);
  const auto is_superfluous = [](const Entry& before, const Entry& entry) {
    return before.address == entry.address ||
           (!names_code(before.rank) && !names_code(entry.rank) && before.module == entry.module);
  };
  entries_.erase(std::unique(entries_.begin(), entries_.end(), is_superfluous), entries_.end());
  entries_.shrink_to_fit();
  names_.shrink_to_fit();
}

std::optional<std::size_t> KernelTable::nearest(std::uint64_t address) const {
  const auto above = std::ranges::upper_bound(entries_, address, {}, &Entry::address);
  if (above == entries_.begin()) return std::nullopt;
  return static_cast<std::size_t>(above - entries_.begin()) - 1;
}

KernelSymbol KernelTable::find(RuntimeAddress address) const {
  KernelSymbol answer;
  answer.unnamed = is_hidden() ? Unnamed::kernel_hidden : Unnamed::no_symbol;
  const auto index = nearest(address.value);
  if (!index) return answer;
  const Entry& entry = entries_[*index];
  if (!names_code(entry.rank) || address.value - entry.address >= max_kernel_function_bytes) return answer;
  answer.name = name_of(entry);
  answer.start = entry.address;
  answer.unnamed = Unnamed::named;
  answer.module = modules_[entry.module];
  return answer;
}

KernelTable::Holds KernelTable::holds(RuntimeAddress address) const {
  const auto index = nearest(address.value);
  if (!index || *index + 1 == entries_.size()) return Holds::until_changed;
  const Entry& entry = entries_[*index];
  // Between two symbols of one module there is nothing except that module.
  if (entries_[*index + 1].module != entry.module) return Holds::until_changed;
  if (entry.module != 0)
    return is_made_at_run_time(modules_[entry.module]) ? Holds::until_changed : Holds::while_loaded;
  const bool in_text = names_code(entry.rank) && address.value - entry.address < max_kernel_function_bytes;
  return in_text ? Holds::always : Holds::until_changed;
}

std::size_t KernelTable::size_bytes() const { return entries_.capacity() * sizeof(Entry) + names_.capacity(); }

}  // namespace profile
