// Compresses what is written to a stream, piece by piece, so that no format keeps its whole document.
#pragma once

#include <zlib.h>

#include <iosfwd>
#include <string_view>

namespace profile {

class Gzip {
 public:
  // `out` must outlive it. The same bytes in are the same bytes out: there is no time and no name in the header.
  explicit Gzip(std::ostream& out);
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void write(std::string_view bytes);
  // Writes what is still kept back, and the checksum. Nothing may be written behind it.
  void finish();

 private:
  void deflate(std::string_view bytes, int flush);

  std::ostream& out_;
  z_stream stream_{};
};

}  // namespace profile
