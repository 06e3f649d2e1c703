// Files that user probes are put into: how they are found by the names people type for them and among what processes
// have mapped, and the act of putting a probe there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/address.h"
#include "process/code_file.h"
#include "support/bpf.h"
#include "support/fd.h"
#include "symbol/elf_file.h"

namespace profile {

struct ProbedFile {
  Fd fd;
  std::string path;  // for messages
  ElfFile elf;       // reads from `fd`
};

// A regular ELF file at `path`, of a machine's kind that can be probed here. Throws Error, its text begun by `what`.
// No FIFO blocks it, no device acts.
[[nodiscard]] ProbedFile open_probed_file(const std::string& path, const std::string& what);
// The file that `name` stands for: a path, or without a slash a library or a command by its bare name ("libc",
// "libc.so.6", "bash"). What a process of `ids` has mapped under that name comes before what lies in the usual places.
[[nodiscard]] ProbedFile find_probed_file(const std::string& name, std::span<const std::uint32_t> ids,
                                          const std::string& what);

struct MappedFile {
  FileIdentity identity;
  std::string path;  // as the process sees it
  MappedBy mapped_by;
};
// Files with code that process or thread `id` has mapped, each as often as it is; none when it is gone.
[[nodiscard]] std::vector<MappedFile> mapped_files(std::uint32_t id);
// nullopt when it cannot be opened, or is no ELF file.
[[nodiscard]] std::optional<ProbedFile> open_mapped_file(const MappedFile& file);

// Whether a file of this name is the library `name`: "libc.so.6" and "libc-2.31.so" are "libc".
[[nodiscard]] bool is_library_called(std::string_view file_name, std::string_view name);
// The paths that `name` has in the dynamic linker's cache, whose content is `cache`; the best first.
[[nodiscard]] std::vector<std::string> find_in_library_cache(std::string_view cache, std::string_view name);
// The same by the cache and the usual directories of this system.
[[nodiscard]] std::vector<std::string> library_paths(std::string_view name);

struct ProbePlace {
  int fd = -1;  // of the file
  FileOffset offset;
  bool on_return = false;
  std::uint64_t cookie = 0;           // for bpf_get_attach_cookie(); 0: none
  std::optional<std::uint32_t> tgid;  // only in this process
};
// Throws Error, its text begun by `what`.
[[nodiscard]] BpfLink attach_probe(const bpf_program& program, const ProbePlace& place, const std::string& what);

}  // namespace profile
