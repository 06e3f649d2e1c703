// The lines of text in the format of /proc/kallsyms, and what stands at the address that each of them tells.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace profile {

// What stands at an address. What gives its name to what follows comes before what does not, which still ends what lies
// before it. Of several names for one address the first is the kernel's own choice: it has put the best of them first.
enum class KernelRank : std::uint8_t { code, end, data };

constexpr bool names_code(KernelRank rank) { return rank == KernelRank::code; }

// Takes the prefix off that a function's padding has before the function's name.
void without_padding(std::string_view& name);
// Whether it stands where the code ends.
[[nodiscard]] bool ends_code(std::string_view name);

struct KernelLine {
  std::uint64_t address = 0;
  KernelRank rank = KernelRank::data;
  std::string_view name;    // a padding's is that of its function
  std::string_view module;  // empty: the kernel's own
};

// There are no sizes, so the last function before a gap would own all of it. The largest code known is a BPF program of
// a million instructions.
constexpr std::uint64_t max_kernel_function_bytes = 8 << 20;

// What to call the module of what is in none.
constexpr std::string_view kernel_itself = "kernel";

// nullopt: no line of the kernel's.
[[nodiscard]] std::optional<KernelLine> parse_kernel_line(std::string_view text);

// Reads `fd` from where it stands to its end and hands each line of the kernel's to `look(const KernelLine&)`, whose
// texts are valid during the call.
template <class Look>
void for_each_kernel_line(int fd, Look look) {
  // The kernel's names are at most 511 bytes long, a module's 55: a longer line is not one of its own.
  constexpr std::size_t max_line_bytes = 1024;
  constexpr std::size_t buffer_bytes = 65536;
  const auto look_at = [&look](std::string_view text) {
    if (const auto line = parse_kernel_line(text)) look(*line);
  };
  std::vector<char> buffer(buffer_bytes);
  std::size_t kept = 0;   // bytes of an unfinished line at the front
  bool skipping = false;  // it was too long
  while (true) {
    // Fewer bytes than asked for are not the end: this file comes a page at a time.
    const ssize_t got = ::read(fd, buffer.data() + kept, buffer.size() - kept);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    std::string_view text(buffer.data(), kept + static_cast<std::size_t>(got));
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      if (!skipping && end <= max_line_bytes) look_at(text.substr(0, end));
      skipping = false;
      text.remove_prefix(end + 1);
    }
    skipping = skipping || text.size() > max_line_bytes;
    kept = skipping ? 0 : text.size();
    std::memmove(buffer.data(), text.data(), kept);
  }
  if (!skipping) look_at(std::string_view(buffer.data(), kept));
}

}  // namespace profile
