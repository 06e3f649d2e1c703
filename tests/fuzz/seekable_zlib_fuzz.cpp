// A zlib stream that is read at several places. Input: two bytes for the claimed size in kilobytes, eight places in the
// same unit, then the stream. Two reads of one place must be equal.
#include "elf/seekable_zlib.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "support/fd.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  constexpr std::size_t places = 8;
  constexpr std::size_t header = 2 + 2 * places;
  if (size < header) return 0;
  const auto number = [data](std::size_t at) { return (std::uint64_t{data[at]} << 8 | data[at + 1]) << 10; };
  const Fd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  if (!fd || ::write(fd.get(), data + header, size - header) != static_cast<ssize_t>(size - header)) std::abort();
  SeekableZlib bytes(fd.get(), 0, size - header, number(0));
  std::array<std::optional<std::vector<std::byte>>, places> first;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < places; ++i) {
      std::vector<std::byte> out(1500);
      if (!bytes.read(number(2 + 2 * i), out)) continue;
      if (first[i] && *first[i] != out) std::abort();
      first[i] = std::move(out);
    }
  }
  return 0;
}
