// The kernel's own shared library, mapped into every process without a file.
#pragma once

#include "support/file_bytes.h"

namespace profile {

// This process's vDSO, to be read like any ELF file. It is the same in every process of our class (the kernel maps the
// same pages). Without bytes where there is none.
[[nodiscard]] FileBytes vdso_bytes();

}  // namespace profile
