// Encodes the messages of a pprof profile one by one and compresses them soon after. A profile of any size therefore
// needs only some kilobytes here.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <protozero/pbf_builder.hpp>
#include <string>
#include <string_view>

#include "model/pprof_format.h"
#include "output/gzip.h"

namespace profile {

class PprofSink {
 public:
  // `out` must outlive this object.
  explicit PprofSink(std::ostream& out) : gzip_(out) {}

  // Writes one message. `fill` gets its builder, whose fields are those of `Field`.
  template <class Field, class Fill>
  void message(pprof::ProfileField field, const Fill& fill) {
    {
      protozero::pbf_builder<pprof::ProfileField> profile(buffer_);
      protozero::pbf_builder<Field> builder(profile, field);
      fill(builder);
    }
    pass_on();
  }
  void number(pprof::ProfileField field, std::int64_t value) {
    protozero::pbf_builder<pprof::ProfileField>(buffer_).add_int64(field, value);
  }
  void text(pprof::ProfileField field, std::string_view text) {
    protozero::pbf_builder<pprof::ProfileField>(buffer_).add_string(field, text.data(), text.size());
    pass_on();
  }
  // Writes the remaining data. Write nothing after it.
  void finish() {
    gzip_.write(buffer_);
    gzip_.finish();
  }

 private:
  static constexpr std::size_t limit = std::size_t{64} << 10;

  void pass_on() {
    if (buffer_.size() < limit) return;
    gzip_.write(buffer_);
    buffer_.clear();
  }

  Gzip gzip_;
  std::string buffer_;
};

}  // namespace profile
