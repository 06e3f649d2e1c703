#include "symbol/kallsyms.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "symbol/alias.h"

namespace profile {
namespace {

// The kernel's names are at most 511 bytes long, a module's 55: a longer line is not one of its own.
constexpr std::size_t max_line_bytes = 1024;
constexpr std::size_t buffer_bytes = 65536;
// There are no sizes, so the last function before a gap would own all of it. The largest code known is a BPF program of
// a million instructions.
constexpr std::uint64_t max_function_bytes = 8 << 20;

// What stands at an address, best first. The worse ones still end what lies before them.
enum class Rank : std::uint8_t { global, weak, local, padding, mark, end, data };

struct Line {
  std::uint64_t address = 0;
  char type = 0;
  std::string_view name;
  std::string_view module;
};

// "ffffffff81000000 T _text" or "ffffffffc0201000 t f\t[module]".
std::optional<Line> parse(std::string_view text) {
  Line line;
  std::size_t at = 0;
  for (; at < text.size() && text[at] != ' '; ++at) {
    const char c = text[at];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0 || at == 16) return std::nullopt;
    line.address = line.address << 4 | static_cast<std::uint64_t>(digit);
  }
  if (at == 0 || at + 3 >= text.size() || text[at + 2] != ' ') return std::nullopt;
  line.type = text[at + 1];
  line.name = text.substr(at + 3);
  if (const auto tab = line.name.find('\t'); tab != std::string_view::npos) {
    line.module = line.name.substr(tab + 1);
    line.name = line.name.substr(0, tab);
    if (line.module.size() < 3 || !line.module.starts_with('[') || !line.module.ends_with(']')) return std::nullopt;
    line.module = line.module.substr(1, line.module.size() - 2);
  }
  if (line.name.empty()) return std::nullopt;
  return line;
}

// Takes the padding's prefix off `name`.
Rank rank_of(char type, std::string_view& name) {
  if (type != 'T' && type != 't' && type != 'W' && type != 'w') return Rank::data;
  for (const std::string_view prefix : {"__pfx_", "__cfi_"}) {
    if (name.size() > prefix.size() && name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      return Rank::padding;
    }
  }
  if (name == "_etext" || name == "_einittext") return Rank::end;
  // Marks of the linker script. A function that starts where a section does goes by its own name.
  if (name == "_text" || name == "_stext" || name == "_sinittext") return Rank::mark;
  if (name.starts_with("__") && (name.ends_with("_text_start") || name.ends_with("_text_end"))) return Rank::mark;
  return type == 'T' ? Rank::global : type == 'W' ? Rank::weak : Rank::local;
}

// The best symbol seen so far between one address asked for and the one before it.
struct Slot {
  std::uint64_t start = 0;
  Rank rank = Rank::data;
  bool filled = false;
  std::string name;
  std::string module;
};

class Resolver {
 public:
  explicit Resolver(std::span<const RuntimeAddress> addresses) : addresses_(addresses), slots_(addresses.size()) {}

  void add_line(std::string_view text);
  [[nodiscard]] std::vector<KernelSymbol> answers() const;

 private:
  [[nodiscard]] std::size_t slot_of(std::uint64_t start);

  std::span<const RuntimeAddress> addresses_;
  std::vector<Slot> slots_;
  std::size_t last_slot_ = 0;
  bool any_line_ = false;
  bool any_address_ = false;  // that is not zero
};

// The first address at or above `start`. Most symbols ascend, so it is mostly the one it was before.
std::size_t Resolver::slot_of(std::uint64_t start) {
  const bool above = last_slot_ == 0 || addresses_[last_slot_ - 1].value < start;
  const bool below = last_slot_ == addresses_.size() || start <= addresses_[last_slot_].value;
  if (!above || !below) {
    const auto found = std::ranges::lower_bound(addresses_, start, {}, &RuntimeAddress::value);
    last_slot_ = static_cast<std::size_t>(found - addresses_.begin());
  }
  return last_slot_;
}

void Resolver::add_line(std::string_view text) {
  const auto line = parse(text);
  if (!line) return;
  any_line_ = true;
  if (line->address == 0) return;
  any_address_ = true;
  const std::size_t index = slot_of(line->address);
  if (index == slots_.size()) return;
  Slot& slot = slots_[index];
  if (slot.filled && line->address < slot.start) return;
  std::string_view name = line->name;
  const Rank rank = rank_of(line->type, name);
  if (slot.filled && line->address == slot.start) {
    if (rank > slot.rank || (rank == slot.rank && !better_alias(name, slot.name))) return;
  }
  slot.start = line->address;
  slot.rank = rank;
  slot.filled = true;
  slot.name = name;
  slot.module = line->module;
}

std::vector<KernelSymbol> Resolver::answers() const {
  std::vector<KernelSymbol> answers(addresses_.size());
  const Slot* nearest = nullptr;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (slots_[i].filled) nearest = &slots_[i];
    KernelSymbol& answer = answers[i];
    answer.unnamed = any_line_ && !any_address_ ? Unnamed::kernel_hidden : Unnamed::no_symbol;
    if (nearest == nullptr || nearest->rank >= Rank::end) continue;
    if (addresses_[i].value - nearest->start >= max_function_bytes) continue;
    answer.name = nearest->name;
    answer.start = nearest->start;
    answer.unnamed = Unnamed::named;
    answer.module = nearest->module.empty() ? "kernel" : nearest->module;
  }
  return answers;
}

// Fewer bytes than asked for are not the end: this file comes a page at a time.
ssize_t read_some(int fd, std::span<char> buffer) {
  ssize_t got = 0;
  do {
    got = ::read(fd, buffer.data(), buffer.size());
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

std::vector<KernelSymbol> resolve_kernel(int kallsyms_fd, std::span<const RuntimeAddress> addresses) {
  Resolver resolver(addresses);
  std::vector<char> buffer(buffer_bytes);
  std::size_t kept = 0;   // bytes of an unfinished line at the front
  bool skipping = false;  // it was too long
  while (true) {
    const ssize_t got = read_some(kallsyms_fd, std::span(buffer).subspan(kept));
    if (got <= 0) break;
    std::string_view text(buffer.data(), kept + static_cast<std::size_t>(got));
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      if (!skipping && end <= max_line_bytes) resolver.add_line(text.substr(0, end));
      skipping = false;
      text.remove_prefix(end + 1);
    }
    skipping = skipping || text.size() > max_line_bytes;
    kept = skipping ? 0 : text.size();
    std::memmove(buffer.data(), text.data(), kept);
  }
  if (!skipping) resolver.add_line(std::string_view(buffer.data(), kept));
  return resolver.answers();
}

}  // namespace profile
