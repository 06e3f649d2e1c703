// Finds the memory allocators that processes use: their files, and the offsets of the functions that `-e malloc`
// probes.
#pragma once

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
// The path of the first file in these processes that has a function `malloc` among its symbols, such as a statically
// linked program. Empty: none.
[[nodiscard]] std::string file_with_malloc(const SamplingOptions& options);

}  // namespace profile
