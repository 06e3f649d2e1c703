// .gnu_debugdata: compressed content with damaged bytes, so that the code behind the checksums is tested, too. Input:
// the number of damaged bytes, then the place and value of each, then the content. From 128 on, the rest is the section
// itself.
#include "elf/mini_debuginfo.h"

#include <lzma.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../made_elf.h"

namespace {

std::string compressed(std::string_view plain) {
  std::string packed(lzma_stream_buffer_bound(plain.size()), '\0');
  std::size_t size = 0;
  if (lzma_easy_buffer_encode(0, LZMA_CHECK_NONE, nullptr, reinterpret_cast<const std::uint8_t*>(plain.data()),
                              plain.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size,
                              packed.size()) != LZMA_OK)
    std::abort();
  packed.resize(size);
  return packed;
}

std::string section_from(std::string_view input) {
  if (input.empty()) return {};
  const auto count = static_cast<unsigned char>(input[0]);
  input.remove_prefix(1);
  if (count >= 128) return std::string(input);
  const std::string_view spoilt = input.substr(0, std::size_t{3} * count);
  std::string section = compressed(input.substr(spoilt.size()));
  for (std::size_t i = 0; i + 3 <= spoilt.size(); i += 3) {
    const std::size_t at = static_cast<unsigned char>(spoilt[i]) * 256U + static_cast<unsigned char>(spoilt[i + 1]);
    section[at % section.size()] ^= spoilt[i + 2];
  }
  return section;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const Fd fd = test::in_memory(test::made_elf({{.name = ".gnu_debugdata", .content = section_from(input)}}));
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  if (!file) std::abort();
  const auto unpacked = unpack_mini_debuginfo(*file, why, 1 << 20);
  if (unpacked.has_value() != why.empty()) std::abort();
  return 0;
}
