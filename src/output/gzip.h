// Compresses a stream piece by piece, so that no format keeps its whole document in memory.
#pragma once

#include <zlib.h>

#include <iosfwd>
#include <string_view>

namespace profile {

class Gzip {
 public:
  // `out` must outlive this object. The same input gives the same output: the header has no time and no name.
  explicit Gzip(std::ostream& out);
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void write(std::string_view bytes);
  // Writes the remaining data and the checksum. Call no write() after it.
  void finish();

 private:
  void deflate(std::string_view bytes, int flush);

  std::ostream& out_;
  z_stream stream_{};
};

}  // namespace profile
