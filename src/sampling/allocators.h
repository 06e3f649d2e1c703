// The memory allocators that processes use: which files they are, and where in them the functions stand that `-e
// malloc` probes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/probed_file.h"
#include "sampling/source.h"

namespace profile {

struct Allocator {
  ProbedFile file;
  std::vector<AllocatorFunction> functions;  // each place once
};

// Whether a file called so is a C library, or a library that takes the place of its allocator.
[[nodiscard]] bool is_allocator_library(std::string_view file_name);
// Of the processes that `options` choose, as far as they are there; and this system's own C library, when others may
// come.
[[nodiscard]] std::vector<Allocator> find_allocators(const SamplingOptions& options);
// The path of the first file in the processes that `options` name which has a malloc of its own, by its symbols: a
// program that is linked statically. Empty: none.
[[nodiscard]] std::string file_with_malloc(const SamplingOptions& options);

}  // namespace profile
