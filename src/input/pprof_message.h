// Reads fields of untrusted protocol buffers. protozero checks the bounds, but its caller must check that a field has
// the wire type that it is read as; these functions do that.
#pragma once

#include <cstdint>
#include <protozero/pbf_message.hpp>
#include <protozero/varint.hpp>
#include <string>
#include <string_view>

#include "support/error.h"

namespace profile {

template <class Field>
void require_kind(const protozero::pbf_message<Field>& message, protozero::pbf_wire_type kind) {
  if (message.wire_type() == kind) return;
  throw Error("field " + std::to_string(static_cast<std::uint32_t>(message.tag())) +
              " of a message is of another kind");
}

template <class Field>
std::uint64_t number_of(protozero::pbf_message<Field>& message) {
  require_kind(message, protozero::pbf_wire_type::varint);
  return message.get_uint64();
}

template <class Field>
std::string_view bytes_of(protozero::pbf_message<Field>& message) {
  require_kind(message, protozero::pbf_wire_type::length_delimited);
  const protozero::data_view view = message.get_view();
  return {view.data(), view.size()};
}

// Visits the numbers of a repeated field, which may be packed or not.
template <class Field, class Visit>
void each_number(protozero::pbf_message<Field>& message, const Visit& visit) {
  if (message.wire_type() == protozero::pbf_wire_type::varint) {
    visit(message.get_uint64());
    return;
  }
  const std::string_view packed = bytes_of(message);
  const char* at = packed.data();
  const char* const end = at + packed.size();
  while (at != end) visit(protozero::decode_varint(&at, end));
}

// Calls `visit` for each field of the message. `visit` returns false for a field that it does not read, which is then
// skipped.
template <class Field, class Visit>
void each_field(std::string_view bytes, const Visit& visit) {
  protozero::pbf_message<Field> message(protozero::data_view(bytes.data(), bytes.size()));
  while (message.next()) {
    if (!visit(message)) message.skip();
  }
}

}  // namespace profile
