// Writes JSON as it goes, however large the document: nothing of it is kept. A wrapper of RapidJSON's writer that
// cleans the texts and never writes what is no JSON.
#pragma once

#include <rapidjson/writer.h>

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace profile {

// What RapidJSON writes to: a buffer in front of the stream, for it writes byte by byte.
class JsonBuffer {
 public:
  using Ch = char;  // RapidJSON asks for it

  JsonBuffer(std::ostream& out, bool for_html) : out_(out), for_html_(for_html) {}
  // RapidJSON's names, which it calls.
  void Put(char c) {  // NOLINT(readability-identifier-naming)
    if (buffer_.size() >= limit) flush();
    if (c == '<' && for_html_) {
      buffer_ += "\\u003c";  // it stands in strings only
    } else {
      buffer_ += c;
    }
  }
  void Flush() {}  // NOLINT(readability-identifier-naming): called behind each document; flush() is ours
  void flush();

 private:
  static constexpr std::size_t limit = std::size_t{64} << 10;
  std::ostream& out_;
  bool for_html_;
  std::string buffer_;
};

class JsonWriter {
 public:
  // `html`: inside a <script>, where no text may end it.
  enum class Context : std::uint8_t { document, html };

  // `out` must outlive it, and end_document() must have been called.
  explicit JsonWriter(std::ostream& out, Context place = Context::document)
      : buffer_(out, place == Context::html), writer_(buffer_) {}

  void begin_object() { writer_.StartObject(); }
  void end_object() { writer_.EndObject(); }
  void begin_array() { writer_.StartArray(); }
  void end_array() { writer_.EndArray(); }
  // Of an object, with its value to come.
  void key(std::string_view name) { string(name, true); }

  void value(std::string_view text) { string(text, false); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool truth) { writer_.Bool(truth); }
  void value(std::unsigned_integral auto number) { writer_.Uint64(number); }
  void value(int number) { writer_.Int(number); }
  void value(double number);  // 0 for what JSON has no number for

  template <class Value>
  void member(std::string_view name, const Value& of) {
    key(name);
    value(of);
  }
  void begin_object(std::string_view name) {
    key(name);
    begin_object();
  }
  void begin_array(std::string_view name) {
    key(name);
    begin_array();
  }
  // The document stands on a line of its own.
  void end_document();

 private:
  void string(std::string_view text, bool is_key);

  JsonBuffer buffer_;
  rapidjson::Writer<JsonBuffer> writer_;
  std::string clean_;
};

}  // namespace profile
