#include "input/pprof_file.h"

#include <algorithm>
#include <numeric>
#include <protozero/exception.hpp>

#include "input/pprof_message.h"
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
  const auto found = std::lower_bound(items.begin(), items.end(), id,
                                      [](const Item& item, std::uint64_t wanted) { return item.id < wanted; });
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
  const auto by_id = [](const Item& a, const Item& b) { return a.id < b.id; };
  if (!std::is_sorted(items.begin(), items.end(), by_id)) std::sort(items.begin(), items.end(), by_id);
  const auto twice =
      std::adjacent_find(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.id == b.id; });
  if (twice != items.end()) {
    throw Error(std::string("it has two of ") + what + " " + std::to_string(twice->id) +
                ", as two profiles one behind the other have");
  }
}

}  // namespace

// Texts may follow the fields that refer to them, so all texts are read first.
class PprofFile::Parser {
 public:
  explicit Parser(PprofFile& file) : file_(file) {}

  void parse() {
    each_field<ProfileField>(file_.message_, [this](auto& field) {
      if (field.tag() != ProfileField::string_table) return false;
      file_.texts_.push_back(bytes_of(field));
      return true;
    });
    each_field<ProfileField>(file_.message_, [this](auto& field) { return read(field); });
    sort_by_id(file_.functions_, "function");
    sort_by_id(file_.locations_, "location");
    std::vector<Mapping> by_id = file_.mappings_;
    sort_by_id(by_id, "mapping");
    file_.mapping_order_.resize(by_id.size());
    std::iota(file_.mapping_order_.begin(), file_.mapping_order_.end(), 0U);
    std::sort(file_.mapping_order_.begin(), file_.mapping_order_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return file_.mappings_[a].id < file_.mappings_[b].id; });
    for (const Location& location : file_.locations_) {
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
        if (file_.sample_types_.size() == most_types) throw Error("it has more than a thousand types of values");
        file_.sample_types_.push_back(value_type(bytes_of(field)));
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
        file_.period_type_ = value_type(bytes_of(field));
        return true;
      case ProfileField::period:
        file_.period_ = static_cast<std::int64_t>(number_of(field));
        return true;
      case ProfileField::time_nanos:
        file_.time_ns_ = static_cast<std::int64_t>(number_of(field));
        return true;
      case ProfileField::duration_nanos:
        file_.duration_ns_ = static_cast<std::int64_t>(number_of(field));
        return true;
      case ProfileField::comment:
        each_number(field, [this](std::uint64_t index) {
          if (file_.comments_.size() < most_comments) file_.comments_.push_back(file_.text(index));
        });
        return true;
      case ProfileField::default_sample_type:
        file_.default_sample_type_ = file_.text(number_of(field));
        return true;
      default:
        return false;
    }
  }

  [[nodiscard]] ValueType value_type(std::string_view bytes) const {
    ValueType type;
    each_field<ValueTypeField>(bytes, [&](auto& field) {
      if (field.tag() != ValueTypeField::type && field.tag() != ValueTypeField::unit) return false;
      (field.tag() == ValueTypeField::type ? type.type : type.unit) = file_.text(number_of(field));
      return true;
    });
    return type;
  }

  void read_mapping(std::string_view bytes) {
    Mapping mapping;
    each_field<MappingField>(bytes, [&](auto& field) {
      if (field.tag() == MappingField::id) {
        mapping.id = number_of(field);
      } else if (field.tag() == MappingField::memory_start) {
        mapping.start = number_of(field);
      } else if (field.tag() == MappingField::memory_limit) {
        mapping.limit = number_of(field);
      } else if (field.tag() == MappingField::file_offset) {
        mapping.file_offset = number_of(field);
      } else if (field.tag() == MappingField::filename) {
        mapping.file = file_.text(number_of(field));
      } else if (field.tag() == MappingField::build_id) {
        mapping.build_id = file_.text(number_of(field));
      } else {
        return false;
      }
      return true;
    });
    keep(file_.mappings_, mapping, "mapping");
  }

  void read_location(std::string_view bytes) {
    Location location;
    location.first_line = static_cast<std::uint32_t>(file_.lines_.size());
    each_field<LocationField>(bytes, [&](auto& field) {
      if (field.tag() == LocationField::id) {
        location.id = number_of(field);
      } else if (field.tag() == LocationField::mapping_id) {
        location.mapping = number_of(field);
      } else if (field.tag() == LocationField::address) {
        location.address = number_of(field);
      } else if (field.tag() == LocationField::line) {
        read_line(bytes_of(field));
      } else if (field.tag() == LocationField::is_return) {
        location.is_return = number_of(field) != 0;
      } else {
        return false;
      }
      return true;
    });
    location.lines = static_cast<std::uint32_t>(file_.lines_.size()) - location.first_line;
    keep(file_.locations_, location, "location");
  }

  void read_line(std::string_view bytes) {
    Line line;
    each_field<LineField>(bytes, [&](auto& field) {
      if (field.tag() == LineField::function_id) {
        line.function = number_of(field);
      } else if (field.tag() == LineField::line) {
        line.line = static_cast<std::int64_t>(number_of(field));
      } else {
        return false;
      }
      return true;
    });
    file_.lines_.push_back(line);
  }

  void read_function(std::string_view bytes) {
    Function function;
    std::string_view system_name;
    each_field<FunctionField>(bytes, [&](auto& field) {
      if (field.tag() == FunctionField::id) {
        function.id = number_of(field);
      } else if (field.tag() == FunctionField::name) {
        function.name = file_.text(number_of(field));
      } else if (field.tag() == FunctionField::system_name) {
        system_name = file_.text(number_of(field));
      } else if (field.tag() == FunctionField::filename) {
        function.file = file_.text(number_of(field));
      } else {
        return false;
      }
      return true;
    });
    if (function.name.empty()) function.name = system_name;
    keep(file_.functions_, function, "function");
  }

  PprofFile& file_;
};

PprofFile::PprofFile(std::string_view message) : message_(message) {
  reading([this] { Parser(*this).parse(); });
}

std::string_view PprofFile::text(std::uint64_t index) const {
  if (index >= texts_.size()) throw not_there("text", index);
  return texts_[index];
}

const PprofFile::Mapping* PprofFile::mapping(std::uint64_t id) const {
  const auto found =
      std::lower_bound(mapping_order_.begin(), mapping_order_.end(), id,
                       [this](std::uint32_t at, std::uint64_t wanted) { return mappings_[at].id < wanted; });
  return found != mapping_order_.end() && mappings_[*found].id == id ? &mappings_[*found] : nullptr;
}

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
  each_field<SampleField>(bytes, [&](auto& field) {
    if (field.tag() == SampleField::location_id) {
      each_number(field, [&](std::uint64_t id) {
        const Location* const location = find_by_id(locations_, id);
        if (location == nullptr) throw not_there("location", id);
        sample.locations.push_back(static_cast<std::uint32_t>(location - locations_.data()));
      });
    } else if (field.tag() == SampleField::value) {
      each_number(field, [&](std::uint64_t value) {
        if (sample.values.size() == sample_types_.size()) throw wrong_values(sample.values.size() + 1);
        sample.values.push_back(static_cast<std::int64_t>(value));
      });
    } else if (field.tag() == SampleField::label) {
      // An empty label takes two bytes in the file and forty in memory.
      if (sample.labels.size() == most_labels) throw Error("a sample has more than a thousand labels");
      Label& label = sample.labels.emplace_back();
      each_field<LabelField>(bytes_of(field), [&](auto& part) {
        if (part.tag() == LabelField::key) {
          label.key = text(number_of(part));
        } else if (part.tag() == LabelField::str) {
          label.text = text(number_of(part));
        } else if (part.tag() == LabelField::num) {
          label.number = static_cast<std::int64_t>(number_of(part));
        } else {
          return false;
        }
        return true;
      });
    } else {
      return false;
    }
    return true;
  });
  if (sample.values.size() != sample_types_.size()) throw wrong_values(sample.values.size());
}

Error PprofFile::wrong_values(std::size_t found) const {
  return Error("a sample has " + std::to_string(found) + " values where " + std::to_string(sample_types_.size()) +
               " are declared");
}

}  // namespace profile
