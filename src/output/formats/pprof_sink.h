// Where the messages of a pprof profile go. Each is encoded by itself and compressed soon after, so that a profile of
// any size costs some kilobytes on its way out.
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
  // `out` must outlive it.
  explicit PprofSink(std::ostream& out) : gzip_(out) {}

  // Writes one message; `fill` is given the builder of it, whose fields are those of `Field`.
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
  // Nothing may be written behind it.
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
