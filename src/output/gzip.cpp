// A thin wrapper of zlib's deflate. The caller checks the stream for errors; zlib itself can only run out of memory.
#include "output/gzip.h"

#include <array>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <streambuf>
#include <utility>

#include "output/output.h"

namespace profile {
namespace {

constexpr int gzip_window_bits = 15 + 16;                   // 15: the largest window; 16: with gzip's header
constexpr int memory_level = 8;                             // zlib's own default
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // zlib counts in an unsigned int

// Makes no member of the file while nothing is written.
class GzipBuffer final : public std::streambuf {
 public:
  explicit GzipBuffer(std::ostream& out) : out_(out) {}  // NOLINT(cppcoreguidelines-pro-type-member-init)
  void finish() {
    flush();
    if (gzip_) gzip_->finish();
  }

 protected:
  int_type overflow(int_type byte) override {
    flush();
    if (!traits_type::eq_int_type(byte, traits_type::eof())) sputc(traits_type::to_char_type(byte));
    return traits_type::not_eof(byte);
  }

 private:
  void flush() {
    if (pptr() != pbase()) {
      if (!gzip_) gzip_.emplace(out_);
      gzip_->write({pbase(), static_cast<std::size_t>(pptr() - pbase())});
    }
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }

  std::ostream& out_;
  std::optional<Gzip> gzip_;
  std::array<char, std::size_t{1} << 16> bytes_;  // written before it is read
};

}  // namespace

void write_gzipped(std::ostream& out, const std::function<void(std::ostream&)>& print) {
  const auto buffer = std::make_unique<GzipBuffer>(out);
  std::ostream packed(buffer.get());
  print(packed);
  buffer->finish();
}

Output gzipped(Output output) {
  return {.begin = [begin = std::move(output.begin)](
                       std::ostream& out,
                       const RunInfo& run) { write_gzipped(out, [&](std::ostream& packed) { begin(packed, run); }); },
          .report =
              [report = std::move(output.report)](std::ostream& out, const Profile& profile) {
                write_gzipped(out, [&](std::ostream& packed) { report(packed, profile); });
              }};
}

Gzip::Gzip(std::ostream& out) : out_(out) {
  // The fastest level, because the data is mostly small numbers. A higher level makes the file only 4 % smaller.
  if (::deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, gzip_window_bits, memory_level, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

Gzip::~Gzip() { ::deflateEnd(&stream_); }

void Gzip::write(std::string_view bytes) {
  for (; bytes.size() > most_at_once; bytes.remove_prefix(most_at_once)) {
    deflate(bytes.substr(0, most_at_once), Z_NO_FLUSH);
  }
  deflate(bytes, Z_NO_FLUSH);
}

void Gzip::finish() { deflate({}, Z_FINISH); }

void Gzip::deflate(std::string_view bytes, int flush) {
  std::array<char, std::size_t{1} << 14> compressed;  // NOLINT(cppcoreguidelines-pro-type-member-init): zlib fills it
  // zlib's interface lacks const, but it only reads these bytes.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(compressed.data());
    stream_.avail_out = compressed.size();
    ::deflate(&stream_, flush);
    out_.write(compressed.data(), static_cast<std::streamsize>(compressed.size() - stream_.avail_out));
  } while (stream_.avail_out == 0);  // a full buffer means that more may follow
}

}  // namespace profile
