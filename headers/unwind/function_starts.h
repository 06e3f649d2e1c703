// Where the functions of a file without symbols begin, by its unwind tables. So the samples in a function of a stripped
// file belong together, although it has no name.
#pragma once

#include <span>

#include "elf/file.h"
#include "elf/symbol.h"
#include "model/address.h"

namespace profile {

// Sets `start` of each answer that is not named: the address at which the description of the code there begins in
// .eh_frame. An answer whose code is not described, or in a file without an index of descriptions, keeps 0. `addresses`
// ascend. All reading is taken from the budget that `file` was made with.
void find_function_starts(const ElfFile& file, std::span<const ElfAddress> addresses, std::span<Symbol> answers);

}  // namespace profile
