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

void JsonWriter::value(std::string_view text) {
  clean_.clear();
  append_clean(clean_, text, Semicolon::keep);
  writer_.String(clean_.data(), static_cast<rapidjson::SizeType>(clean_.size()));
}

void JsonWriter::end_document() {
  buffer_.Put('\n');
  buffer_.flush();
  writer_.Reset(buffer_);
}

}  // namespace profile
