// The kernel's own shared library, mapped into every process without a file.
#pragma once

#include "support/fd.h"

namespace profile {

// This process's vDSO as a file in memory, to be read like any ELF file. It is the same in every process of our class
// (the kernel maps the same pages). No Fd where there is none.
[[nodiscard]] Fd copy_of_vdso();

}  // namespace profile
