// Files that user probes are put into: how they are found by the names people type for them and among what processes
// have mapped, and the act of putting a probe there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parse/file_probes.h"
#include "process/code_file.h"
#include "support/bpf.h"

namespace profile {

// The file at `path`. Throws Error, its text begun by `what`.
[[nodiscard]] ProbedFile open_probed_file(FileProbes& probes, const std::string& path, const std::string& what);
// The file that `name` stands for: a path, or without a slash a library or a command by its bare name ("libc",
// "libc.so.6", "bash"). What a process of `ids` has mapped under that name comes before what lies in the usual places.
[[nodiscard]] ProbedFile find_probed_file(FileProbes& probes, const std::string& name,
                                          std::span<const std::uint32_t> ids, const std::string& what);

struct MappedFile {
  FileIdentity identity;
  std::string path;  // as the process sees it
  MappedBy mapped_by;
};
// Files with code that process or thread `id` has mapped, each as often as it is; none when it is gone.
[[nodiscard]] std::vector<MappedFile> mapped_files(std::uint32_t id);
// nullopt when it cannot be opened, or is no ELF file.
[[nodiscard]] std::optional<ProbedFile> open_mapped_file(FileProbes& probes, const MappedFile& file);

// Whether a file of this name is the library `name`: "libc.so.6" and "libc-2.31.so" are "libc".
[[nodiscard]] bool is_library_called(std::string_view file_name, std::string_view name);
// The paths that `name` has in the dynamic linker's cache, whose content is `cache`; the best first.
[[nodiscard]] std::vector<std::string> find_in_library_cache(std::string_view cache, std::string_view name);
// The same by the cache and the usual directories of this system.
[[nodiscard]] std::vector<std::string> library_paths(std::string_view name);

// Has `program` run when the probe is hit; `cookie` is for bpf_get_attach_cookie(), 0: none. Throws Error, its text
// begun by `what`.
[[nodiscard]] BpfLink attach_probe(FileProbes& probes, const bpf_program& program, const ProbedFile& file,
                                   const UserProbe& probe, std::uint64_t cookie, const std::string& what);

}  // namespace profile
