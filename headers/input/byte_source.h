// The bytes of a profile: in memory, or read piece by piece, so that a large file need not fit into memory. A reader
// looks ahead, takes lines, or asks for the whole content where its format needs that.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace profile {

// The most bytes of an input that are in memory at a time. Readers that need the whole content refuse larger files.
inline constexpr std::size_t largest_profile_bytes = std::size_t{1} << 30;

// An input that cannot be read, whatever its format is. The text names the input.
struct ReadError : Error {
  using Error::Error;
};

// Where bytes come from: a file, or the unpacking of other bytes.
class ByteReader {
 public:
  virtual ~ByteReader() = default;
  // Fills the beginning of `room`, which is not empty, and returns the number of bytes; 0: the end. Throws ReadError.
  virtual std::size_t read(std::span<char> room) = 0;
  // The size of the whole input in bytes; 0: unknown.
  [[nodiscard]] virtual std::size_t size() const { return 0; }
  // The error for an input that has more than largest_profile_bytes in one piece.
  [[nodiscard]] virtual ReadError too_large() const = 0;
};

class ByteSource {
 public:
  // Of bytes in memory, which must outlive the source.
  template <std::convertible_to<std::string_view> Bytes>
  ByteSource(const Bytes& bytes) : rest_(bytes), received_(rest_.size()) {}  // NOLINT(google-explicit-constructor)
  explicit ByteSource(std::unique_ptr<ByteReader> reader);

  // Every view that these functions return is valid until release(), also if the source is moved.

  // The bytes that come next: at least `least` of them, unless the input ends before.
  [[nodiscard]] std::string_view ahead(std::size_t least);
  // Skips bytes that ahead() has returned.
  void pass(std::size_t bytes) { rest_.remove_prefix(bytes); }
  // Takes the next line, without its LF. False at the end.
  [[nodiscard]] bool next_line(std::string_view& line);
  // The line that next_line() takes next; empty at the end.
  [[nodiscard]] std::string_view line_ahead();
  // All bytes that are left. Throws ReadError if they are more than largest_profile_bytes.
  [[nodiscard]] std::string_view whole();
  // Views from before are not used any more.
  void release();

  // How many bytes have been read so far, also those that are still ahead.
  [[nodiscard]] std::uint64_t received() const { return received_; }
  // The size of the whole input in bytes; 0: unknown.
  [[nodiscard]] std::size_t size() const { return reader_ ? reader_->size() : static_cast<std::size_t>(received_); }

 private:
  // False at the end.
  bool read_more();
  // Makes the buffer at least this large, with rest_ at its beginning.
  void make_room(std::size_t least);

  std::unique_ptr<ByteReader> reader_;         // nullptr: all bytes are in `rest_`
  std::string_view rest_;                      // what has been read and not passed
  std::unique_ptr<char[]> buffer_;             // holds rest_, if there is a reader
  std::size_t capacity_ = 0;                   // of the buffer
  bool is_in_use_ = false;                     // there may be views of the buffer
  std::vector<std::unique_ptr<char[]>> held_;  // former buffers with views
  std::size_t held_bytes_ = 0;
  std::uint64_t received_ = 0;
};

// "-" is stdin. Throws Error when the file cannot be opened.
[[nodiscard]] ByteSource open_input(const std::string& path);
// The name of the input in errors: "stdin" for "-".
[[nodiscard]] inline std::string name_of_input(const std::string& path) { return path == "-" ? "stdin" : path; }

[[nodiscard]] inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }
// The content of a gzip-compressed input, also of one of several members. The unpacked size has a limit, because gzip
// can pack a thousand zero bytes into one byte. `name` is the name of the input in errors.
[[nodiscard]] ByteSource gunzipped(ByteSource packed, const std::string& name);

}  // namespace profile
