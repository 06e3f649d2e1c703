// Pages of the program and its libraries that hold data which is only read.
#pragma once

namespace profile {

// Takes them out of this process's memory; a page that is read again comes back from the kernel's cache, within a
// microsecond. Loading reads the symbol tables of all libraries, and the start of a run a BPF program: 3 MB that
// nothing reads again. Code stays, because a breakpoint of a debugger or a uprobe would be lost with its page.
void give_back_read_pages() noexcept;

}  // namespace profile
