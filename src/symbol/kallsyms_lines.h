// Reads the lines of text in the format of /proc/kallsyms, and what stands at the address of each line.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace profile {

// What stands at an address, the best first. `code` gives its name to what follows it. `end` and `data` give no name,
// but they end the code before them. Of several names for one address the first is the kernel's own choice: the kernel
// puts the best first.
enum class KernelRank : std::uint8_t { code, end, data };

constexpr bool names_code(KernelRank rank) { return rank == KernelRank::code; }

// Removes the prefix by which the name of a function's padding differs from the function's name.
void without_padding(std::string_view& name);
// Whether `name` stands at an end of the code.
[[nodiscard]] bool ends_code(std::string_view name);

struct KernelLine {
  std::uint64_t address = 0;
  KernelRank rank = KernelRank::data;
  std::string_view name;    // a padding has the name of its function
  std::string_view module;  // empty: the kernel's own
};

// The list has no sizes, so the last function before a gap would own the whole gap. The largest known code is a BPF
// program of a million instructions.
constexpr std::uint64_t max_kernel_function_bytes = 8 << 20;

// The module name for code that is in no module.
constexpr std::string_view kernel_itself = "kernel";

// nullopt: not a line of the kernel, or a mark that is no name.
[[nodiscard]] std::optional<KernelLine> parse_kernel_line(std::string_view text);

// Reads `fd` from where it stands to its end. Calls `look(const KernelLine&)` for each line of the kernel; the texts in
// it are valid during the call.
template <class Look>
void for_each_kernel_line(int fd, Look look) {
  // The kernel's names have at most 511 bytes, those of modules 55. So a longer line does not come from the kernel.
  constexpr std::size_t max_line_bytes = 1024;
  constexpr std::size_t buffer_bytes = 65536;
  const auto look_at = [&look](std::string_view text) {
    if (const auto line = parse_kernel_line(text)) look(*line);
  };
  std::vector<char> buffer(buffer_bytes);
  std::size_t kept = 0;   // bytes of an unfinished line at the front of the buffer
  bool skipping = false;  // the unfinished line is too long
  while (true) {
    // Fewer bytes than wanted do not mean the end: the kernel gives this file a page at a time.
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
