// Makes and reads messages between this process and a child. Both are one program on one machine, so the byte order is
// its own. A hostile file may have made the parser send these bytes, so every read is bounded, and after a failed
// read all later reads fail.
// A message holds numbers, enumerations, texts, tables of strings, structures that have wire_fields(), and vectors,
// maps and optionals of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/address.h"
#include "model/string_table.h"

namespace profile {

// The members of a structure, in the order of the message. Each structure that is sent has such a function.
template <class Tag>
constexpr auto wire_fields(const Address<Tag>&) {
  return std::tuple(&Address<Tag>::value);
}
template <class First, class Second>
constexpr auto wire_fields(const std::pair<First, Second>&) {
  return std::tuple(&std::pair<First, Second>::first, &std::pair<First, Second>::second);
}

// Whether an enumeration has no end, because it numbers something: any number is a value.
template <class Enum>
inline constexpr bool is_any_number = false;

// Whether vectors of it are copied as they lie in memory, because there may be millions. Any bytes must be a value.
template <class Element>
inline constexpr bool is_copied_whole = std::is_same_v<Element, std::uint32_t>;

template <class Value>
void append_value(std::string& message, const Value& value) {
  if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
    message.append(reinterpret_cast<const char*>(&value), sizeof value);
  } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    const std::string_view text = value;
    append_value(message, static_cast<std::uint32_t>(text.size()));
    message.append(text);
  } else if constexpr (std::is_same_v<Value, StringTable>) {
    append_value(message, static_cast<std::uint32_t>(value.size() - 1));  // without the empty string
    for (std::size_t i = 1; i < value.size(); ++i) append_value(message, value.view(static_cast<StringId>(i)));
  } else if constexpr (std::ranges::range<Value>) {
    using Element = std::ranges::range_value_t<Value>;
    append_value(message, static_cast<std::uint32_t>(value.size()));
    if constexpr (is_copied_whole<Element>) {
      message.append(reinterpret_cast<const char*>(value.data()), value.size() * sizeof(Element));
    } else {
      for (const auto& element : value) append_value(message, element);
    }
  } else if constexpr (requires { value.has_value(); }) {
    append_value(message, value.has_value());
    append_value(message, value.value_or(typename Value::value_type{}));
  } else {
    std::apply([&](auto... field) { (append_value(message, value.*field), ...); }, wire_fields(value));
  }
}

template <class... Values>
[[nodiscard]] std::string message_of(const Values&... values) {
  std::string message;
  (append_value(message, values), ...);
  return message;
}

class WireReader {
 public:
  // No text may be longer, unless allow_text() says so. Names, paths and sentences are shorter.
  static constexpr std::size_t most_text_bytes = std::size_t{64} << 10;

  // `bytes` must outlive this and the texts that it gives.
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  // From here on a text may have this many bytes.
  void allow_text(std::size_t most_bytes) { most_text_ = most_bytes; }

  // From here on no vector of structures may have more elements. A hostile writer could otherwise fill the memory,
  // because an element takes more bytes in memory than in the message.
  void allow_elements(std::size_t most) { most_elements_ = most; }
  // The same for the texts of a table of strings.
  void allow_strings(std::size_t most) { most_strings_ = most; }

  // Reads one value after the other into variables that are empty. After something was missing, they stay empty.
  template <class... Values>
  void read(Values&... values) {
    (read_one(values), ...);
  }
  template <class Value>
  Value get() {
    Value value{};
    read_one(value);
    return value;
  }
  // A value of an enumeration, below `end`.
  template <class Enum>
  Enum one_of(Enum end) {
    using Number = std::underlying_type_t<Enum>;
    const auto number = this->number<Number>();
    if (number < static_cast<Number>(end)) return static_cast<Enum>(number);
    fail();
    return Enum{};
  }
  std::string_view text() {
    const std::size_t size = count(1);
    if (size > most_text_) fail();
    const std::string_view text = rest_.substr(0, ok_ ? size : 0);
    rest_.remove_prefix(text.size());
    return text;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  // Nothing was missing, and nothing is left.
  [[nodiscard]] bool is_whole() const { return ok_ && rest_.empty(); }

 private:
  template <class Number>
  Number number() {
    static_assert(std::is_integral_v<Number> && !std::is_same_v<Number, bool>);
    Number number{};
    if (rest_.size() < sizeof number) {
      fail();
      return number;
    }
    std::memcpy(&number, rest_.data(), sizeof number);
    rest_.remove_prefix(sizeof number);
    return number;
  }
  // How many elements follow; each takes at least `least_bytes`. 0 when there cannot be so many.
  std::size_t count(std::size_t least_bytes) {
    const std::size_t count = number<std::uint32_t>();
    if (count <= rest_.size() / least_bytes) return count;
    fail();
    return 0;
  }
  void fail() {
    ok_ = false;
    rest_ = {};
  }

  template <class Value>
  void read_one(Value& value) {
    if constexpr (std::is_integral_v<Value>) {
      value = number<Value>();
    } else if constexpr (is_any_number<Value>) {
      value = Value{number<std::underlying_type_t<Value>>()};
    } else if constexpr (std::is_enum_v<Value>) {
      value = one_of(Value::count);
    } else {
      std::apply([&](auto... field) { (this->read_one(value.*field), ...); }, wire_fields(value));
    }
  }
  void read_one(bool& value) { value = number<std::uint8_t>() != 0; }
  void read_one(std::string& value) { value = text(); }
  // An id of the table that was read last. The ids in the writer's table may differ.
  void read_one(StringId& id) {
    const auto index = number<std::uint32_t>();
    if (index >= ids_.size()) return fail();
    id = ids_[index];
  }
  void read_one(StringTable& strings) {
    const std::size_t count = this->count(sizeof(std::uint32_t));
    if (count > most_strings_) return fail();
    ids_.assign(1, StringId::empty);
    for (std::size_t i = 0; i < count && ok_; ++i) ids_.push_back(strings.intern(text()));
  }
  template <class Value>
  void read_one(std::optional<Value>& value) {
    const bool has_value = get<bool>();
    const auto found = get<Value>();
    if (has_value) value = found;
  }
  // The memory grows with what was read, whatever number of elements the message claims.
  template <class Element>
  void read_one(std::vector<Element>& elements) {
    if constexpr (is_copied_whole<Element>) {
      static_assert(std::has_unique_object_representations_v<Element>);
      elements.resize(count(sizeof(Element)));
      const std::size_t bytes = elements.size() * sizeof(Element);
      if (bytes != 0) std::memcpy(elements.data(), rest_.data(), bytes);
      rest_.remove_prefix(bytes);
    } else {
      const std::size_t count = this->count(1);
      if (count > most_elements_) return fail();
      for (std::size_t i = 0; i < count && ok_; ++i) read_one(elements.emplace_back());
    }
  }
  template <class Key, class Value>
  void read_one(std::map<Key, Value>& map) {
    const std::size_t count = this->count(1);
    if (count > most_elements_) return fail();
    for (std::size_t i = 0; i < count && ok_; ++i) {
      const auto key = get<Key>();
      map.try_emplace(key, get<Value>());
    }
  }

  std::string_view rest_;
  bool ok_ = true;
  std::size_t most_elements_ = SIZE_MAX;
  std::size_t most_strings_ = SIZE_MAX;
  std::size_t most_text_ = most_text_bytes;
  std::vector<StringId> ids_;  // [id in the writer's table]: the id here
};

}  // namespace profile
