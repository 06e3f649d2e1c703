// The memory allocators that processes use: which files they are, and where in them the functions stand that `-e
// malloc` probes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sampling/probed_file.h"
#include "sampling/source.h"

namespace profile {

// Functions whose arguments and results are alike.
enum class AllocatorCall : std::uint8_t {
  bytes,             // f(bytes): malloc, valloc, pvalloc
  product,           // calloc(count, bytes)
  moved,             // realloc(memory, bytes)
  aligned,           // f(alignment, bytes): memalign, aligned_alloc
  aligned_by_place,  // posix_memalign(&memory, alignment, bytes)
  free               // free(memory)
};

struct AllocatorFunction {
  AllocatorCall call = AllocatorCall::bytes;
  FileOffset offset;  // at its first instruction, or behind one that changes nothing
  // How many bytes of the allocator's code lie before its first instruction and after it: a call that returns to there
  // is one of the allocator's to itself. Both 0 when that cannot be told.
  std::uint32_t before_bytes = 0;
  std::uint32_t after_bytes = 0;
};

struct Allocator {
  ProbedFile file;
  std::vector<AllocatorFunction> functions;  // each place once
};

// Whether a file called so is a C library, or a library that takes the place of its allocator.
[[nodiscard]] bool is_allocator_library(std::string_view file_name);
// The functions of `elf`; none when it is no allocator.
[[nodiscard]] std::vector<AllocatorFunction> allocator_functions(const ElfFile& elf);
// Of the processes that `options` choose, as far as they are there; and this system's own C library, when others may
// come.
[[nodiscard]] std::vector<Allocator> find_allocators(const SamplingOptions& options);

}  // namespace profile
