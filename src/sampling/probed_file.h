// Finds the files for user probes, by the names that users type and among the files that processes have mapped. It also
// attaches the probes.
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

// Opens the file at `path`. Throws Error, whose text begins with `what`.
[[nodiscard]] ProbedFile open_probed_file(FileProbes& probes, const std::string& path, const std::string& what);
// Opens the file `name`: a path, or the bare name of a library or command ("libc", "libc.so.6", "bash"). A file of that
// name that a process of `ids` has mapped comes first, then the usual places. Throws Error, whose text begins with
// `what`.
[[nodiscard]] ProbedFile find_probed_file(FileProbes& probes, const std::string& name,
                                          std::span<const std::uint32_t> ids, const std::string& what);

struct LoadedFile {
  FileIdentity identity;
  std::string path;  // as the process sees it
  MappedBy mapped_by;
};
// The files with code that process or thread `id` has mapped, one entry for each mapping. Empty when it has ended.
[[nodiscard]] std::vector<LoadedFile> mapped_files(std::uint32_t id);
// nullopt when the file cannot be opened, or is no ELF file.
[[nodiscard]] std::optional<ProbedFile> open_mapped_file(FileProbes& probes, const LoadedFile& file);

// True if a file of this name is the library `name`: "libc.so.6" and "libc-2.31.so" are "libc".
[[nodiscard]] bool is_library_called(std::string_view file_name, std::string_view name);
// The paths of the library `name` in `cache`, the content of the dynamic linker's cache. Exact names come first.
[[nodiscard]] std::vector<std::string> find_in_library_cache(std::string_view cache, std::string_view name);
// The same from the cache and the usual directories of this system.
[[nodiscard]] std::vector<std::string> library_paths(std::string_view name);

// What keeps a program attached to its probes.
struct AttachedProbes {
  std::vector<BpfLink> links;  // one for each place
  Fd link;                     // or one for all
};
// Attaches `program` to all places. `has_links`: it was loaded for a link of many probes (support/probe_link.h). Throws
// Error, whose text begins with `what`.
[[nodiscard]] AttachedProbes attach_probes(FileProbes& probes, const bpf_program& program, const ProbedFile& file,
                                           const ProbeGroup& group, bool has_links, const std::string& what);

}  // namespace profile
