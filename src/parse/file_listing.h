// Reads what a listing of functions shows: the instructions in ranges of a file's code, and lines of a source file.
#pragma once

#include <span>
#include <string>

#include "elf/file.h"
#include "parse/listing_reader.h"

namespace profile {

[[nodiscard]] CodeOfFile code_of(const ElfFile& elf, std::span<const AddressRange> ranges);
// `source` and `binary` are open files.
[[nodiscard]] SourceOfFile source_of(int source, int binary, std::span<const LineRange> ranges);

}  // namespace profile
