// RapidJSON escapes the texts but does not check UTF-8, so they are cleaned here.
#include "output/json_writer.h"

#include <cmath>
#include <ostream>

#include "output/clean_text.h"

namespace profile {

void JsonBuffer::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

void JsonWriter::value(double number) { writer_.Double(std::isfinite(number) ? number : 0); }

void JsonWriter::string(std::string_view text, bool is_key) {
  clean_.clear();
  append_clean(clean_, text, Semicolon::keep);
  const auto size = static_cast<rapidjson::SizeType>(clean_.size());
  if (is_key) {
    writer_.Key(clean_.data(), size);
  } else {
    writer_.String(clean_.data(), size);
  }
}

void JsonWriter::end_document() {
  buffer_.Put('\n');
  buffer_.flush();
  writer_.Reset(buffer_);
}

}  // namespace profile
