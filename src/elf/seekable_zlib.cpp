#include "elf/seekable_zlib.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <list>
#include <unordered_map>
#include <vector>

namespace profile {
namespace {

constexpr std::uint64_t block_bytes = std::uint64_t{64} << 10;
constexpr std::size_t max_blocks = 128;
// Each takes about 40 KB, mostly for the stream's window.
constexpr std::uint64_t max_checkpoints = 128;
constexpr std::uint64_t checkpoint_steps = 4096;
// How much may be unpacked in total. A reader that goes forward unpacks everything once or twice; a reader that follows
// references jumps about. This limits the time to less than a minute.
constexpr std::uint64_t max_passes = 32;
constexpr std::uint64_t max_unpacked_bytes = std::uint64_t{8} << 30;

// A place in the stream, with the decompressor's state at that place.
class Checkpoint {
 public:
  Checkpoint() { sound_ = ::inflateInit(&stream_) == Z_OK; }
  Checkpoint(const Checkpoint& other) : packed_(other.packed_), unpacked_(other.unpacked_) {
    sound_ = other.sound_ && ::inflateCopy(&stream_, const_cast<z_stream*>(&other.stream_)) == Z_OK;
  }
  Checkpoint& operator=(const Checkpoint&) = delete;
  ~Checkpoint() {
    if (sound_) ::inflateEnd(&stream_);
  }

  [[nodiscard]] std::uint64_t packed() const { return packed_; }
  [[nodiscard]] std::uint64_t unpacked() const { return unpacked_; }

  // Unpacks from the front of both. `in` and `out` become what is left of them. False unless it made progress; at the
  // end of the stream `out` must be full.
  [[nodiscard]] bool unpack(std::span<const std::byte>& in, std::span<std::byte>& out) {
    if (!sound_) return false;
    // The library counts in 32 bits.
    const std::size_t in_bytes = std::min<std::size_t>(in.size(), UINT_MAX);
    const std::size_t out_bytes = std::min<std::size_t>(out.size(), UINT_MAX);
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in_bytes);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out_bytes);
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    const std::size_t used = in_bytes - stream_.avail_in;
    const std::size_t made = out_bytes - stream_.avail_out;
    packed_ += used;
    unpacked_ += made;
    in = in.subspan(used);
    out = out.subspan(made);
    return (status == Z_OK && (used != 0 || made != 0)) || (status == Z_STREAM_END && out.empty());
  }

 private:
  z_stream stream_{};
  bool sound_ = false;
  std::uint64_t packed_ = 0;
  std::uint64_t unpacked_ = 0;
};

}  // namespace

struct SeekableZlib::State {
  struct Block {
    std::uint64_t number = 0;
    std::vector<std::byte> bytes;
  };

  FileBytes file;
  std::uint64_t offset = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t interval_bytes = 0;                      // between checkpoints; a multiple of block_bytes
  std::vector<std::unique_ptr<Checkpoint>> checkpoints;  // [i] at i * interval_bytes
  std::unique_ptr<Checkpoint> current = std::make_unique<Checkpoint>();
  std::uint64_t unpacked_in_all = 0;
  WorkBudget* budget = nullptr;
  std::list<Block> blocks;  // the last used is in front
  std::unordered_map<std::uint64_t, std::list<Block>::iterator> held;

  const std::vector<std::byte>* block(std::uint64_t number);
  [[nodiscard]] bool pay(std::uint64_t steps) const { return budget == nullptr || budget->take(steps); }
  [[nodiscard]] bool seek(std::uint64_t unpacked);
  [[nodiscard]] bool unpack_block(std::vector<std::byte>& bytes);
  [[nodiscard]] std::span<const std::byte> packed_at(std::uint64_t at, std::span<std::byte> buffer) const;
};

std::span<const std::byte> SeekableZlib::State::packed_at(std::uint64_t at, std::span<std::byte> buffer) const {
  const std::size_t wanted = std::min<std::uint64_t>(buffer.size(), packed_bytes - std::min(at, packed_bytes));
  const auto part = buffer.first(wanted);
  return file.read_at(offset + at, part) ? part : part.first(0);
}

// Unpacks the block at the current place.
bool SeekableZlib::State::unpack_block(std::vector<std::byte>& bytes) {
  const std::uint64_t begin = current->unpacked();
  if (begin % interval_bytes == 0 && begin / interval_bytes == checkpoints.size()) {
    checkpoints.push_back(std::make_unique<Checkpoint>(*current));
    if (!pay(checkpoint_steps)) return false;
  }
  bytes.resize(std::min(block_bytes, size_bytes - begin));
  unpacked_in_all += bytes.size();
  if (unpacked_in_all > max_unpacked_bytes || unpacked_in_all / max_passes > size_bytes) return false;
  std::array<std::byte, 16384> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::span<std::byte> out(bytes);
  while (!out.empty()) {
    std::span<const std::byte> in = packed_at(current->packed(), buffer);
    const std::size_t in_bytes = in.size();
    const std::size_t out_bytes = out.size();
    if (!current->unpack(in, out)) return false;
    if (!pay(unpack_steps(in_bytes - in.size(), out_bytes - out.size()))) return false;
  }
  return true;
}

bool SeekableZlib::State::seek(std::uint64_t unpacked) {
  const std::uint64_t checkpoint = unpacked / interval_bytes;
  const bool ahead = current->unpacked() > unpacked;
  const bool nearer = checkpoint < checkpoints.size() && checkpoint * interval_bytes > current->unpacked();
  if (ahead || nearer) {
    if (!pay(checkpoint_steps)) return false;
    current = std::make_unique<Checkpoint>(*checkpoints[std::min<std::uint64_t>(checkpoint, checkpoints.size() - 1)]);
  }
  std::vector<std::byte> passed;
  while (current->unpacked() < unpacked) {
    if (!unpack_block(passed)) return false;
  }
  return true;
}

const std::vector<std::byte>* SeekableZlib::State::block(std::uint64_t number) {
  if (const auto found = held.find(number); found != held.end()) {
    blocks.splice(blocks.begin(), blocks, found->second);
    return &blocks.front().bytes;
  }
  if (blocks.size() < max_blocks) {
    blocks.emplace_front();
  } else {
    held.erase(blocks.back().number);
    blocks.splice(blocks.begin(), blocks, std::prev(blocks.end()));
  }
  Block& block = blocks.front();
  block.number = number;
  if (!seek(number * block_bytes) || !unpack_block(block.bytes)) {
    // A decompressor that has failed stays failed. The next one starts from a checkpoint, or from the beginning.
    current = checkpoints.empty() ? std::make_unique<Checkpoint>() : std::make_unique<Checkpoint>(*checkpoints.front());
    blocks.pop_front();
    return nullptr;
  }
  held.emplace(number, blocks.begin());
  return &block.bytes;
}

SeekableZlib::SeekableZlib(const FileBytes& file, std::uint64_t offset, std::uint64_t packed_bytes,
                           std::uint64_t size_bytes)
    : state_(std::make_unique<State>()) {
  state_->file = file;
  state_->offset = offset;
  state_->packed_bytes = packed_bytes;
  state_->size_bytes = size_bytes;
  state_->interval_bytes = (size_bytes / max_checkpoints / block_bytes + 1) * block_bytes;
}

SeekableZlib::~SeekableZlib() = default;
SeekableZlib::SeekableZlib(SeekableZlib&&) noexcept = default;
SeekableZlib& SeekableZlib::operator=(SeekableZlib&&) noexcept = default;

void SeekableZlib::pay_from(WorkBudget* budget) { state_->budget = budget; }

bool SeekableZlib::read(std::uint64_t offset, std::span<std::byte> out) {
  if (offset > state_->size_bytes || out.size() > state_->size_bytes - offset) return false;
  while (!out.empty()) {
    const std::vector<std::byte>* const block = state_->block(offset / block_bytes);
    if (block == nullptr) return false;
    const std::uint64_t within = offset % block_bytes;
    const std::size_t count = std::min<std::uint64_t>(out.size(), block->size() - within);
    std::copy_n(block->begin() + static_cast<std::ptrdiff_t>(within), count, out.begin());
    offset += count;
    out = out.subspan(count);
  }
  return true;
}

bool inflate_zlib(std::span<const std::byte> packed, std::span<std::byte> out) {
  Checkpoint stream;
  while (!out.empty()) {
    if (!stream.unpack(packed, out)) return false;
  }
  return true;
}

bool inflate_zstd(std::span<const std::byte> packed, std::span<std::byte> out) {
  return ::ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) == out.size();
}

}  // namespace profile
