#include "elf/mini_debuginfo.h"

#include <lzma.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace profile {
namespace {

// Symbol tables shrink to a fifth or a tenth. A section that grows more than this was made to do harm.
constexpr std::uint64_t most_growth = 64;
constexpr std::uint64_t grows_freely_bytes = 1 << 20;  // zeros between sections make small ones grow more
// `xz -9` needs 65 MiB. Most of it stays untouched when the file is small.
constexpr std::uint64_t most_decoder_bytes = 80 << 20;
constexpr std::size_t unpacked_chunk_bytes = 65536;
// What it costs to unpack, in steps of WorkBudget. Each packed byte may begin a part that resets the decoder.
constexpr std::uint64_t steps_a_packed_byte = 32;
constexpr std::uint64_t steps_an_unpacked_byte = 8;
// What it costs to get memory for the decoder: each block of a few bytes may ask for as much as most_decoder_bytes.
constexpr std::uint64_t allocation_steps = 512;
constexpr std::uint64_t allocated_bytes_a_step = 256;

void* allocate(void* opaque, std::size_t count, std::size_t size) {
  const ElfFile& file = *static_cast<const ElfFile*>(opaque);
  if (size != 0 && count > most_decoder_bytes / size) return nullptr;
  const std::size_t bytes = count * size;
  if (!file.spend(allocation_steps + bytes / allocated_bytes_a_step)) return nullptr;
  return ::operator new(bytes, std::nothrow);
}

void release(void* /*opaque*/, void* memory) { ::operator delete(memory); }

constexpr const char* too_much = "is too much with all the others";

const char* reason_of(lzma_ret status) {
  switch (status) {
    case LZMA_MEM_ERROR:
    case LZMA_MEMLIMIT_ERROR:
      return "wants too much memory to be unpacked";
    case LZMA_FORMAT_ERROR:
      return "is not in xz format";
    case LZMA_OPTIONS_ERROR:
      return "is compressed in a way this liblzma does not know";
    default:
      return "is damaged";
  }
}

std::uint64_t believable_bytes(const ElfSection& packed, std::uint64_t most_bytes) {
  return packed.size > most_bytes ? most_bytes
                                  : std::min(most_bytes, std::max(grows_freely_bytes, packed.size * most_growth));
}

// nullptr when all of `packed` was unpacked; otherwise the reason. It may use all of `into`; `written_bytes` says how
// much it needed.
const char* unpack(const ElfFile& file, const ElfSection& packed, std::span<std::byte> into,
                   std::size_t& written_bytes) {
  std::vector<std::byte> input(unpacked_chunk_bytes);
  const lzma_allocator memory{.alloc = allocate, .free = release, .opaque = const_cast<ElfFile*>(&file)};
  lzma_stream stream = LZMA_STREAM_INIT;
  stream.allocator = &memory;
  const std::unique_ptr<lzma_stream, decltype(&lzma_end)> ended(&stream, lzma_end);
  std::uint64_t read_bytes = 0;
  lzma_ret status = lzma_stream_decoder(&stream, most_decoder_bytes, 0);
  while (status == LZMA_OK) {
    if (stream.avail_in == 0) {
      const auto part = std::span(input).first(std::min<std::uint64_t>(unpacked_chunk_bytes, packed.size - read_bytes));
      if (part.empty()) return "ends too early";
      if (!file.read_at(packed.offset + read_bytes, part)) return "cannot be read";
      if (!file.spend(part.size() * steps_a_packed_byte)) return too_much;
      read_bytes += part.size();
      stream.next_in = reinterpret_cast<const std::uint8_t*>(part.data());
      stream.avail_in = part.size();
    }
    const std::size_t most = std::min(unpacked_chunk_bytes, into.size() - written_bytes);
    stream.next_out = reinterpret_cast<std::uint8_t*>(into.data() + written_bytes);
    stream.avail_out = most;
    status = lzma_code(&stream, LZMA_RUN);
    const std::size_t made = most - stream.avail_out;
    if (!file.spend(made * steps_an_unpacked_byte)) return too_much;
    written_bytes += made;
    if (written_bytes == into.size()) return "unpacks to an unbelievable size";
  }
  if (!file.spend(0)) return too_much;
  return status == LZMA_STREAM_END ? nullptr : reason_of(status);
}

}  // namespace

UnpackedFile::UnpackedFile(std::uint64_t most_bytes) {
  void* const pages =
      ::mmap(nullptr, most_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages != MAP_FAILED) pages_ = {static_cast<std::byte*>(pages), most_bytes};
}

UnpackedFile::UnpackedFile(UnpackedFile&& other) noexcept
    : pages_(std::exchange(other.pages_, {})), size_bytes_(other.size_bytes_) {}

UnpackedFile::~UnpackedFile() {
  if (!pages_.empty()) ::munmap(pages_.data(), pages_.size());
}

std::optional<UnpackedFile> unpack_mini_debuginfo(const ElfFile& file, std::string& why, std::uint64_t most_bytes) {
  why.clear();
  const ElfSection* const packed = file.section(".gnu_debugdata");
  if (packed == nullptr) return std::nullopt;
  const auto refuse = [&](const std::string& reason) {
    why = "its .gnu_debugdata " + reason;
    return std::nullopt;
  };
  if (!file.holds(*packed)) return refuse("is not in the file");
  // One byte more than is believed: a file that needs this byte, too, is larger.
  UnpackedFile unpacked(believable_bytes(*packed, most_bytes) + 1);
  if (unpacked.pages_.empty()) return refuse("finds no memory to be unpacked to");
  if (const char* const reason = unpack(file, *packed, unpacked.pages_, unpacked.size_bytes_)) return refuse(reason);
  return unpacked;
}

}  // namespace profile
