// Pages of the program and its libraries, as they are in their files.
#pragma once

namespace profile {

// Takes them out of this process's memory; a page that is needed again comes back from the kernel's cache, within a
// microsecond. Loading reads the symbol tables of all libraries, and the start of a run a BPF program and much code:
// 4 MB that nothing uses again. Code in which a page was written stays: it may have a breakpoint of a debugger or a
// uprobe, which would be lost.
void give_back_read_pages() noexcept;

}  // namespace profile
