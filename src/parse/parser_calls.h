// The words between the main process and the parser. Every message begins with one of these.
#pragma once

#include <cstdint>

namespace profile {

enum class ParserCall : std::uint8_t {
  names,        // number, path, own_view, budget, offsets    -> budget left, NamesOfFile
  lines,        // number, path, own_view, budget, addresses  -> budget left, LinesOfFile
  vdso,         // offsets                                    -> budget left, NamesOfFile
  jit,          // number, tgid, is_dump, budget, addresses   -> budget left, NamesOfJit
  demangle,     // names                                      -> names
  search,       // number, path, own_view, name, offset       -> class, NameSearch
  unwind,       // number, path, own_view, budget             -> budget left, UnwindOfFile
  vdso_unwind,  // budget                                     -> budget left, UnwindOfFile
  allocators,   // number, path, own_view                     -> the list of AllocatorFunction
  supplied,     // the answer to `wants`: found, number, next, why
  rest,         // closes what it has open; no answer
  plainly,      // the answer to the next question has the names as the file spells them; no answer
  count
};

// The numbers are those under which the opener keeps a file, and they are the tags when it hands a file over.
enum class ParserWord : std::uint8_t {
  begun,         // it has the file that it was asked about, and nothing of the file before
  demangles,     // it demangles from here on: how many names
  wants,         // it wants a debug file: kind, text, base, next
  wants_served,  // it wants a debug file of a debuginfod server: build-id
  answer,
  count
};

}  // namespace profile
