#include "input/pprof_file.h"

#include <algorithm>
#include <iterator>
#include <protozero/exception.hpp>
#include <protozero/pbf_message.hpp>
#include <protozero/varint.hpp>
#include <unordered_map>

#include "input/name_pattern.h"
#include "model/pprof_format.h"
#include "support/error.h"

namespace profile {
namespace {

using pprof::FunctionField;
using pprof::LabelField;
using pprof::LineField;
using pprof::LocationField;
using pprof::MappingField;
using pprof::ProfileField;
using pprof::SampleField;
using pprof::ValueTypeField;

constexpr std::size_t most_labels = 1000;  // of one sample

// protozero checks the bounds of untrusted fields, but its caller must check that a field has the wire type that it is
// read as; these functions do that.
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

// Reads the field into `number` if it is the field `tag`.
template <class Field, class Number>
bool take_field(protozero::pbf_message<Field>& message, Field tag, Number& number) {
  if (message.tag() != tag) return false;
  number = static_cast<Number>(number_of(message));
  return true;
}

// Turns protozero's exceptions into Errors: the exceptions say what is wrong with the bytes, not in which input.
template <class Read>
void reading(const Read& read) {
  try {
    read();
  } catch (const protozero::exception& error) {
    throw Error(std::string("damaged or cut off: ") + error.what());
  }
}

// `items` are sorted by id.
template <class Item>
const Item* find_by_id(const std::vector<Item>& items, std::uint64_t id) {
  // Most files count from 1.
  if (id - 1 < items.size() && items[id - 1].id == id) return &items[id - 1];
  const auto found = std::ranges::lower_bound(items, id, {}, &Item::id);
  return found != items.end() && found->id == id ? &*found : nullptr;
}

Error not_there(const char* what, std::uint64_t id) {
  return Error(std::string("it refers to ") + what + " " + std::to_string(id) + ", which is not in it");
}

// Checks each item at once, so that a file of many empty items does not fill memory first.
template <class Item>
void keep(std::vector<Item>& items, const Item& item, const char* what) {
  if (item.id == 0) throw Error(std::string("it has a ") + what + " without a number");
  items.push_back(item);
}

template <class Item>
void sort_by_id(std::vector<Item>& items, const char* what) {
  if (!std::ranges::is_sorted(items, {}, &Item::id)) std::ranges::sort(items, {}, &Item::id);
  const auto twice = std::ranges::adjacent_find(items, {}, &Item::id);
  if (twice != items.end()) {
    throw Error(std::string("it has two of ") + what + " " + std::to_string(twice->id) +
                ", as two profiles one behind the other have");
  }
}

// The patterns are for names without the arguments of C++: "operator new", not "operator new(unsigned long)".
std::string_view without_arguments(std::string_view name) {
  constexpr std::string_view of_names[] = {"(anonymous namespace)", "operator()"};
  if (name.starts_with('.')) name.remove_prefix(1);
  for (std::size_t at = 0; at < name.size(); ++at) {
    const auto* const part =
        std::ranges::find_if(of_names, [&](std::string_view text) { return name.substr(at).starts_with(text); });
    if (part != std::end(of_names)) {
      at += part->size() - 1;
    } else if (name[at] == '(') {
      return name.substr(0, at);
    }
  }
  return name;
}

}  // namespace

// Texts may follow the fields that refer to them, so all texts are read first.
class PprofFile::Parser {
 public:
  explicit Parser(PprofFile& file) : file_(file) {}

  // Reads the text whose number the field has, if it is the field `tag`.
  template <class Field>
  static bool take_text(const PprofFile& file, protozero::pbf_message<Field>& message, Field tag,
                        std::string_view& text) {
    if (message.tag() != tag) return false;
    text = file.text(number_of(message));
    return true;
  }

  void parse() {
    each_field<ProfileField>(file_.message_, [this](auto& field) {
      if (field.tag() != ProfileField::string_table) return false;
      file_.texts_.push_back(bytes_of(field));
      return true;
    });
    each_field<ProfileField>(file_.message_, [this](auto& field) { return read(field); });
    if (!file_.mappings_.empty()) file_.main_file = file_.mappings_.front().file;
    sort_by_id(file_.functions_, "function");
    sort_by_id(file_.locations, "location");
    sort_by_id(file_.mappings_, "mapping");
    for (const Location& location : file_.locations) {
      if (location.mapping != 0 && file_.mapping(location.mapping) == nullptr)
        throw not_there("mapping", location.mapping);
    }
    for (const Line& line : file_.lines_) {
      if (line.function != 0 && file_.function(line.function) == nullptr) throw not_there("function", line.function);
    }
  }

 private:
  static constexpr std::size_t most_types = 1000;
  static constexpr std::size_t most_comments = 1000;  // further comments are ignored
  using Message = protozero::pbf_message<ProfileField>;

  bool read(Message& field) {
    switch (field.tag()) {
      case ProfileField::sample_type:
        if (file_.sample_types.size() == most_types) throw Error("it has more than a thousand types of values");
        file_.sample_types.push_back(value_type(bytes_of(field)));
        return true;
      case ProfileField::mapping:
        read_mapping(bytes_of(field));
        return true;
      case ProfileField::location:
        read_location(bytes_of(field));
        return true;
      case ProfileField::function:
        read_function(bytes_of(field));
        return true;
      case ProfileField::period_type:
        file_.period_type = value_type(bytes_of(field));
        return true;
      case ProfileField::comment:
        each_number(field, [this](std::uint64_t index) {
          if (file_.comments.size() < most_comments) file_.comments.push_back(file_.text(index));
        });
        return true;
      default:
        return take_field(field, ProfileField::period, file_.period) ||
               take_field(field, ProfileField::time_nanos, file_.time_ns) ||
               take_field(field, ProfileField::duration_nanos, file_.duration_ns) ||
               take_text(file_, field, ProfileField::drop_frames, file_.dropped_) ||
               take_text(file_, field, ProfileField::keep_frames, file_.kept_) ||
               take_text(file_, field, ProfileField::default_sample_type, file_.default_sample_type);
    }
  }

  [[nodiscard]] ValueType value_type(std::string_view bytes) const {
    ValueType type;
    each_field<ValueTypeField>(bytes, [&](auto& field) {
      return take_text(file_, field, ValueTypeField::type, type.type) ||
             take_text(file_, field, ValueTypeField::unit, type.unit);
    });
    return type;
  }

  void read_mapping(std::string_view bytes) {
    Mapping mapping;
    each_field<MappingField>(bytes, [&](auto& field) {
      return take_field(field, MappingField::id, mapping.id) ||
             take_field(field, MappingField::memory_start, mapping.start) ||
             take_field(field, MappingField::memory_limit, mapping.limit) ||
             take_field(field, MappingField::file_offset, mapping.file_offset) ||
             take_text(file_, field, MappingField::filename, mapping.file) ||
             take_text(file_, field, MappingField::build_id, mapping.build_id);
    });
    keep(file_.mappings_, mapping, "mapping");
  }

  void read_location(std::string_view bytes) {
    Location location;
    location.first_line = static_cast<std::uint32_t>(file_.lines_.size());
    each_field<LocationField>(bytes, [&](auto& field) {
      if (field.tag() == LocationField::line) {
        read_line(bytes_of(field));
        return true;
      }
      return take_field(field, LocationField::id, location.id) ||
             take_field(field, LocationField::mapping_id, location.mapping) ||
             take_field(field, LocationField::address, location.address) ||
             take_field(field, LocationField::is_return, location.is_return) ||
             take_field(field, LocationField::is_script, location.is_script);
    });
    location.lines = static_cast<std::uint32_t>(file_.lines_.size()) - location.first_line;
    keep(file_.locations, location, "location");
  }

  void read_line(std::string_view bytes) {
    Line line;
    each_field<LineField>(bytes, [&](auto& field) {
      return take_field(field, LineField::function_id, line.function) || take_field(field, LineField::line, line.line);
    });
    file_.lines_.push_back(line);
  }

  void read_function(std::string_view bytes) {
    Function function;
    std::string_view system_name;
    each_field<FunctionField>(bytes, [&](auto& field) {
      return take_field(field, FunctionField::id, function.id) ||
             take_text(file_, field, FunctionField::name, function.name) ||
             take_text(file_, field, FunctionField::system_name, system_name) ||
             take_text(file_, field, FunctionField::filename, function.file) ||
             take_field(field, FunctionField::start_line, function.start_line);
    });
    if (function.name.empty()) function.name = system_name;
    keep(file_.functions_, function, "function");
  }

  PprofFile& file_;
};

PprofFile::PprofFile(std::string_view message) : message_(message) {
  reading([this] { Parser(*this).parse(); });
  if (!dropped_.empty()) find_dropped();
}

void PprofFile::find_dropped() {
  NamePattern dropped(dropped_);
  NamePattern kept(kept_);
  std::unordered_map<std::uint64_t, bool> known;  // by function
  const auto is_dropped = [&](std::uint64_t id) {
    const Function* const called = function(id);
    if (called == nullptr || called->name.empty()) return false;
    const auto [found, is_new] = known.try_emplace(id);
    if (is_new) {
      const std::string_view name = without_arguments(called->name);
      found->second = dropped.matches(name) && (kept_.empty() || !kept.matches(name));
    }
    return found->second;
  };
  for (Location& location : locations) {
    // The outermost function that matches takes those that are inlined in it along.
    for (std::uint32_t i = location.lines; i-- > 0;) {
      if (!is_dropped(lines_[location.first_line + i].function)) continue;
      location.begins_dropped = true;
      location.is_dropped = i + 1 == location.lines;
      if (!location.is_dropped) {
        location.first_line += i + 1;
        location.lines -= i + 1;
      }
      break;
    }
  }
}

// Outermost frames that match stay, because without them nothing would be left of the stack.
void PprofFile::drop_frames(std::vector<std::uint32_t>& leaf_first) const {
  bool has_other = false;
  for (std::size_t i = leaf_first.size(); i-- > 0;) {
    const Location& location = locations[leaf_first[i]];
    if (!location.begins_dropped) has_other = true;
    if (!location.begins_dropped || !has_other) continue;
    const std::size_t dropped = i + (location.is_dropped ? 1 : 0);
    leaf_first.erase(leaf_first.begin(), leaf_first.begin() + static_cast<std::ptrdiff_t>(dropped));
    return;
  }
}

std::string_view PprofFile::text(std::uint64_t index) const {
  if (index >= texts_.size()) throw not_there("text", index);
  return texts_[index];
}

const PprofFile::Mapping* PprofFile::mapping(std::uint64_t id) const { return find_by_id(mappings_, id); }

const PprofFile::Function* PprofFile::function(std::uint64_t id) const { return find_by_id(functions_, id); }

void PprofFile::each_sample(const std::function<void(const Sample&)>& visit) const {
  Sample sample;
  reading([&] {
    each_field<ProfileField>(message_, [&](auto& field) {
      if (field.tag() != ProfileField::sample) return false;
      read_sample(bytes_of(field), sample);
      visit(sample);
      return true;
    });
  });
}

void PprofFile::read_sample(std::string_view bytes, Sample& sample) const {
  sample.locations.clear();
  sample.values.clear();
  sample.labels.clear();
  const auto wrong_values = [this](std::size_t found) {
    return Error("a sample has " + std::to_string(found) + " values where " + std::to_string(sample_types.size()) +
                 " are declared");
  };
  each_field<SampleField>(bytes, [&](auto& field) {
    if (field.tag() == SampleField::location_id) {
      each_number(field, [&](std::uint64_t id) {
        const Location* const location = find_by_id(locations, id);
        if (location == nullptr) throw not_there("location", id);
        sample.locations.push_back(static_cast<std::uint32_t>(location - locations.data()));
      });
    } else if (field.tag() == SampleField::value) {
      each_number(field, [&](std::uint64_t value) {
        if (sample.values.size() == sample_types.size()) throw wrong_values(sample.values.size() + 1);
        sample.values.push_back(static_cast<std::int64_t>(value));
      });
    } else if (field.tag() == SampleField::label) {
      // An empty label takes two bytes in the file and forty in memory.
      if (sample.labels.size() == most_labels) throw Error("a sample has more than a thousand labels");
      Label& label = sample.labels.emplace_back();
      each_field<LabelField>(bytes_of(field), [&](auto& part) {
        return Parser::take_text(*this, part, LabelField::key, label.key) ||
               Parser::take_text(*this, part, LabelField::str, label.text) ||
               take_field(part, LabelField::num, label.number);
      });
    } else {
      return false;
    }
    return true;
  });
  if (sample.values.size() != sample_types.size()) throw wrong_values(sample.values.size());
  if (!dropped_.empty()) drop_frames(sample.locations);
}

}  // namespace profile
