#include "input/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>

#include "support/fd.h"

namespace profile {
namespace {

constexpr std::size_t at_once = std::size_t{1} << 18;  // read or unpacked

std::string megabytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

class FileReader : public ByteReader {
 public:
  explicit FileReader(const std::string& path)
      : name_(name_of_input(path)),
        fd_(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                        : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {
    if (!fd_) throw read_error(errno);
    struct stat status {};
    if (::fstat(fd_.get(), &status) == 0 && S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
  }

  std::size_t read(std::span<char> room) override {
    for (;;) {
      const ssize_t got = ::read(fd_.get(), room.data(), room.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw read_error(errno);
    }
  }
  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] ReadError too_large() const override {
    return ReadError("cannot read " + name_ + ": larger than " + megabytes(largest_profile_bytes));
  }

 private:
  [[nodiscard]] ReadError read_error(int error) const {
    return ReadError(system_error("cannot read " + name_, error).what());
  }

  std::string name_;
  Fd fd_;
  std::size_t size_ = 0;
};

class GunzipReader : public ByteReader {
 public:
  GunzipReader(ByteSource packed, std::string name) : packed_(std::move(packed)), name_(std::move(name)) {
    constexpr int window_bits = 15 + 16;  // the largest window; 16: with gzip's header
    if (::inflateInit2(&stream_, window_bits) != Z_OK) throw std::bad_alloc();
  }
  GunzipReader(const GunzipReader&) = delete;
  GunzipReader& operator=(const GunzipReader&) = delete;
  ~GunzipReader() override { ::inflateEnd(&stream_); }

  std::size_t read(std::span<char> room) override {
    for (;;) {
      packed_.release();
      const std::string_view ahead = packed_.ahead(1);
      if (ahead.empty() && is_between_members_) return 0;
      // zlib's interface lacks const, but zlib does not write to its input.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(ahead.data()));
      stream_.avail_in = static_cast<uInt>(std::min<std::size_t>(ahead.size(), UINT_MAX));
      stream_.next_out = reinterpret_cast<Bytef*>(room.data());
      stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(room.size(), UINT_MAX));
      const uInt given = stream_.avail_in;
      const uInt wanted = stream_.avail_out;
      const int result = ::inflate(&stream_, Z_NO_FLUSH);
      packed_.pass(given - stream_.avail_in);
      is_between_members_ = false;
      const std::size_t got = wanted - stream_.avail_out;
      unpacked_ += got;
      if (unpacked_ > limit()) throw unpacks_to_more_than(limit());
      if (result == Z_STREAM_END) {
        is_between_members_ = true;
        if (::inflateReset(&stream_) != Z_OK) throw std::bad_alloc();  // another member may follow
      } else if (result == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (result == Z_BUF_ERROR) {
        // The output has room, so the input has ended too early.
        throw ReadError(name_ + ": cut off: the compressed data has no end");
      } else if (result != Z_OK) {
        throw ReadError(name_ + ": damaged: its compressed data cannot be unpacked");
      }
      if (got != 0) return got;
    }
  }
  [[nodiscard]] ReadError too_large() const override { return unpacks_to_more_than(largest_profile_bytes); }

 private:
  // Profiles compress to a tenth or a twentieth of their size. A small file that unpacks to more than 64 times its size
  // (and more than `always_allowed`) is not a profile.
  static constexpr std::uint64_t highest_ratio = 64;
  static constexpr std::uint64_t always_allowed = std::uint64_t{64} << 20;

  [[nodiscard]] std::uint64_t limit() const {
    return always_allowed + highest_ratio * std::max<std::uint64_t>(packed_.size(), packed_.received());
  }
  [[nodiscard]] ReadError unpacks_to_more_than(std::uint64_t bytes) const {
    return ReadError(name_ + ": unpacks to more than " + megabytes(bytes) + ", so it is taken for no profile");
  }

  ByteSource packed_;
  std::string name_;
  z_stream stream_{};
  std::uint64_t unpacked_ = 0;
  bool is_between_members_ = false;
};

}  // namespace

ByteSource::ByteSource(std::unique_ptr<ByteReader> reader) : reader_(std::move(reader)) {}

std::string_view ByteSource::ahead(std::size_t least) {
  while (rest_.size() < least && read_more()) {
  }
  is_in_use_ = true;
  return rest_;
}

std::string_view ByteSource::line_ahead() {
  std::size_t end = rest_.find('\n');
  while (end == rest_.npos) {
    const std::size_t looked_at = rest_.size();
    if (!read_more()) break;
    end = rest_.find('\n', looked_at);
  }
  is_in_use_ = true;
  return rest_.substr(0, end);
}

bool ByteSource::next_line(std::string_view& line) {
  line = line_ahead();
  if (rest_.empty()) return false;
  rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
  return true;
}

std::string_view ByteSource::whole() {
  if (reader_ && reader_->size() > largest_profile_bytes) throw reader_->too_large();
  // One byte more, because only a read that gets none finds the end.
  if (reader_ && reader_->size() >= capacity_) make_room(reader_->size() + 1);
  while (read_more()) {
  }
  is_in_use_ = true;
  return rest_;
}

void ByteSource::release() {
  is_in_use_ = false;
  if (held_.empty()) return;
  held_.clear();
  held_bytes_ = 0;
}

bool ByteSource::read_more() {
  if (!reader_) return false;
  const char* const end = rest_.data() + rest_.size();
  if (buffer_ == nullptr || end == buffer_.get() + capacity_) make_room(2 * rest_.size());
  char* const begin = buffer_.get() + (rest_.data() - buffer_.get());
  const std::size_t got =
      reader_->read({begin + rest_.size(), static_cast<std::size_t>(buffer_.get() + capacity_ - begin) - rest_.size()});
  if (got == 0) {
    reader_.reset();
    return false;
  }
  rest_ = {begin, rest_.size() + got};
  received_ += got;
  if (held_bytes_ + rest_.size() > largest_profile_bytes) throw reader_->too_large();
  return true;
}

// Moves rest_ to the beginning of a buffer. Views that are in use stay where they are.
void ByteSource::make_room(std::size_t least) {
  if (buffer_ != nullptr && !is_in_use_ && least <= capacity_) {
    std::memmove(buffer_.get(), rest_.data(), rest_.size());
    rest_ = {buffer_.get(), rest_.size()};
    return;
  }
  const std::size_t bytes = std::max(at_once, least);
  auto next = std::make_unique_for_overwrite<char[]>(bytes);
  if (!rest_.empty()) std::memcpy(next.get(), rest_.data(), rest_.size());
  if (is_in_use_ && buffer_ != nullptr) {
    held_.push_back(std::move(buffer_));
    held_bytes_ += capacity_;
  }
  buffer_ = std::move(next);
  capacity_ = bytes;
  rest_ = {buffer_.get(), rest_.size()};
}

ByteSource open_input(const std::string& path) { return ByteSource(std::make_unique<FileReader>(path)); }

ByteSource gunzipped(ByteSource packed, const std::string& name) {
  return ByteSource(std::make_unique<GunzipReader>(std::move(packed), name));
}

}  // namespace profile
