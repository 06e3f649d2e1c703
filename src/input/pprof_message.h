// Fields of a protocol buffer that somebody else wrote: protozero reads within bounds, and leaves it to its caller that
// a field is of the kind it is read as.
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

// Numbers of a field that may be packed or stand one by one.
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

// Visits the fields that are of a number in the format; others are left out.
template <class Field, class Visit>
void each_field(std::string_view bytes, const Visit& visit) {
  protozero::pbf_message<Field> message(protozero::data_view(bytes.data(), bytes.size()));
  while (message.next()) {
    if (!visit(message)) message.skip();
  }
}

}  // namespace profile
