// Writes JSON directly to a stream, so that no large document is kept in memory. It wraps RapidJSON's writer: it cleans
// the texts and writes only valid JSON.
#pragma once

#include <rapidjson/writer.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace profile {

// The stream for RapidJSON. It has a buffer because RapidJSON writes byte by byte.
class JsonBuffer {
 public:
  using Ch = char;  // RapidJSON requires this name

  JsonBuffer(std::ostream& out, bool for_html) : out_(out), for_html_(for_html) {}
  // RapidJSON requires the names Put and Flush.
  void Put(char c) {  // NOLINT(readability-identifier-naming)
    if (buffer_.size() >= limit) flush();
    if (c == '<' && for_html_) {
      buffer_ += "\\u003c";  // JSON has '<' only inside strings
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
  // `html`: inside a <script> element, which "</script>" in a text must not end.
  enum class Context : std::uint8_t { document, html };

  // `out` must outlive this object. Call end_document() before the destructor runs, or data is lost.
  explicit JsonWriter(std::ostream& out, Context place = Context::document)
      : buffer_(out, place == Context::html), writer_(buffer_) {}

  void begin_object() { writer_.StartObject(); }
  void end_object() { writer_.EndObject(); }
  void begin_array() { writer_.StartArray(); }
  void end_array() { writer_.EndArray(); }
  // Writes the name of a member; its value must follow.
  void key(std::string_view name) { value(name); }

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool truth) { writer_.Bool(truth); }
  void value(std::unsigned_integral auto number) { writer_.Uint64(number); }
  void value(std::signed_integral auto number) { writer_.Int64(number); }
  void value(double number);  // writes 0 for NaN and infinity
  void null() { writer_.Null(); }

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
  // Writes a member with the array of the values of `items`, each as `value_of(item)`.
  template <class Items, class ValueOf = std::identity>
  void array(std::string_view name, const Items& items, const ValueOf& value_of = {}) {
    begin_array(name);
    for (const auto& item : items) value(value_of(item));
    end_array();
  }
  // Ends the document with a newline and passes all bytes to the stream.
  void end_document();

 private:
  JsonBuffer buffer_;
  rapidjson::Writer<JsonBuffer> writer_;
  std::string clean_;
};

}  // namespace profile
