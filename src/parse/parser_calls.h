// The words between the main process and the parser. Every message begins with one of these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace profile {

enum class ParserCall : std::uint8_t {
  names,        // number, path, own_view, budget, offsets    -> budget left, NamesOfFile
  data,         // number, path, own_view, budget, addresses  -> budget left, NamesOfFile
  lines,        // number, path, own_view, budget, addresses  -> budget left, LinesOfFile
  vdso,         // offsets                                    -> budget left, NamesOfFile
  jit,          // number, tgid, is_dump, budget, addresses   -> budget left, NamesOfJit
  demangle,     // names                                      -> names
  search,       // number, path, own_view, name, offset       -> class, NameSearch
  unwind,       // number, path, own_view, budget             -> budget left, UnwindOfFile
  vdso_unwind,  // budget                                     -> budget left, UnwindOfFile
  allocators,   // number, path, own_view                     -> the list of AllocatorFunction
  code,         // number, path, own_view, budget, ranges     -> budget left, CodeOfFile
  source,    // number, path, own_view, budget, path ("": the file itself), ranges of lines -> budget left, SourceOfFile
  supplied,  // the answer to `wants`: found, number, next, why
  release_files,  // closes what it has open; no answer
  plainly,        // the answer to the next question has the names as the file spells them; no answer
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

// How many bytes an answer about so many places may have: a few long names, and an ordinary one for each place. A
// longer answer is not sent, and breaks the rules when it comes.
[[nodiscard]] constexpr std::size_t most_answer_bytes(ParserCall call, std::size_t places) {
  constexpr std::size_t most = std::size_t{128} << 20;
  constexpr std::size_t few = std::size_t{4} << 20;
  switch (call) {
    case ParserCall::unwind:
    case ParserCall::vdso_unwind:
    case ParserCall::search:
      return std::size_t{64} << 20;
    case ParserCall::code:
    case ParserCall::source:
      return std::size_t{16} << 20;
    case ParserCall::lines:
      return std::min(most, few + places * (std::size_t{16} << 10));
    default:
      return std::min(most, few + places * (std::size_t{4} << 10));
  }
}

}  // namespace profile
