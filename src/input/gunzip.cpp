#include "input/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <new>

#include "input/whole_file.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr int gzip_window_bits = 15 + 16;  // the largest window; 16: with gzip's header
// Profiles compress to a tenth or a twentieth of their size. A small file that unpacks to more than 64 times its size
// (and more than `always_allowed`) is not a profile.
constexpr std::size_t highest_ratio = 64;
constexpr std::size_t always_allowed = std::size_t{64} << 20;

}  // namespace

std::string gunzip(std::string_view bytes, const std::string& name) {
  const std::size_t limit = std::min(largest_profile_bytes, always_allowed + highest_ratio * bytes.size());
  z_stream stream{};
  if (::inflateInit2(&stream, gzip_window_bits) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, ::inflateEnd);

  // zlib's interface lacks const, but zlib does not write to its input. The input has at most 1 GB, and zlib's counters
  // hold 4 GB.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(bytes.size(), UINT_MAX));
  std::string out;
  constexpr std::size_t at_once = std::size_t{1} << 18;
  for (;;) {
    const std::size_t begin = out.size();
    out.resize(std::max(out.capacity(), begin + at_once));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + begin);
    stream.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size() - begin, UINT_MAX));
    const uInt room = stream.avail_out;
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    out.resize(begin + (room - stream.avail_out));
    if (out.size() > limit) {
      throw Error(name + ": unpacks to more than " + std::to_string(limit >> 20) +
                  " MB, so it is taken for no profile");
    }
    if (result == Z_STREAM_END) {
      if (stream.avail_in == 0) return out;
      if (::inflateReset(&stream) != Z_OK) throw std::bad_alloc();  // another member follows
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK) {
      // Z_BUF_ERROR: the output has room, so the input has ended too early.
      throw Error(name + ": " +
                  (result == Z_BUF_ERROR ? "cut off: the compressed data has no end"
                                         : "damaged: its compressed data cannot be unpacked"));
    }
  }
}

}  // namespace profile
