// Gives access to the kernel's own shared library, which is mapped into every process without a file.
#pragma once

#include "support/file_bytes.h"

namespace profile {

// This process's vDSO, to be read like any ELF file. It is the same in every process of our class, because the kernel
// maps the same pages. Without bytes where there is no vDSO.
[[nodiscard]] FileBytes vdso_bytes();

}  // namespace profile
