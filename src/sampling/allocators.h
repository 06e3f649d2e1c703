// Finds the memory allocators that processes use: their files, and the offsets of the functions that `-e malloc`
// probes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/probed_file.h"
#include "sampling/source.h"

namespace profile {

struct Allocator {
  ProbedFile file;
  std::vector<AllocatorFunction> functions;  // each offset once
};

// True for the name of a C library, or of a library that replaces its allocator.
[[nodiscard]] bool is_allocator_library(std::string_view file_name);
// Searches the processes and threads that `options` name. If they name none, it searches this system's C library, and
// all processes unless a command is followed.
[[nodiscard]] std::vector<Allocator> find_allocators(const SamplingOptions& options);
// Calls `attach` for the functions of each file, for those like free() of all files first: memory that is freed during
// the start must not count as not freed. `attach` throws Error when it fails. Then the run fails if the file is root's,
// or if nothing could be attached; another user's file is left out, because any file may be called like a C library.
// Each user's files may have only a share of the probes. Returns the paths of the files that were left out.
using AttachFunctions = std::function<void(const ProbedFile& file, std::span<const AllocatorFunction> functions)>;
[[nodiscard]] std::vector<std::string> attach_allocators(std::span<const Allocator> allocators,
                                                         const AttachFunctions& attach);
// The path of the first file in these processes that has a function `malloc` among its symbols, such as a statically
// linked program. Empty: none.
[[nodiscard]] std::string file_with_malloc(const SamplingOptions& options);

}  // namespace profile
