// Reads a pprof profile back, with the library that wrote it and with the same numbers of fields.
// It also fails the test for everything that pprof itself refuses.
#pragma once

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstdint>
#include <protozero/pbf_message.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/pprof_format.h"
#include "output/output.h"
#include "pprof_profile.h"

namespace profile::test {

// `bytes` must be exactly one gzip member.
inline std::string inflated(const std::string& bytes) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string source = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(source.data());
  stream.avail_in = static_cast<uInt>(source.size());
  std::string out;
  std::string piece(1 << 16, '\0');
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  const bool is_whole = result == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  REQUIRE(is_whole);
  return out;
}

// Two passes, because the texts come after the fields that refer to them.
class PprofReader {
 public:
  explicit PprofReader(const std::string& bytes) : message_(inflated(bytes)) {
    each<pprof::ProfileField>(message_, [&](auto& field) {
      if (field.tag() == pprof::ProfileField::string_table) {
        read_.texts.push_back(field.get_string());
      } else {
        field.skip();
      }
    });
    REQUIRE_FALSE(read_.texts.empty());
    CHECK(read_.texts[0].empty());
    std::set<std::string> distinct(read_.texts.begin(), read_.texts.end());
    CHECK(distinct.size() == read_.texts.size());
    each<pprof::ProfileField>(message_, [&](auto& field) { read(field); });
    check_references();
  }

  [[nodiscard]] const PprofProfile& profile() const { return read_; }

 private:
  using View = protozero::data_view;

  template <class Field, class Visit>
  static void each(const View& bytes, const Visit& visit) {
    protozero::pbf_message<Field> message(bytes);
    while (message.next()) visit(message);
  }

  [[nodiscard]] std::string text(std::int64_t index) const { return read_.texts.at(static_cast<std::size_t>(index)); }

  template <class Message>
  void read(Message& field) {
    using enum pprof::ProfileField;
    switch (field.tag()) {
      case sample_type:
        read_.types.push_back(value_type(field.get_view()));
        break;
      case sample:
        read_sample(field.get_view());
        break;
      case mapping:
        read_mapping(field.get_view());
        break;
      case location:
        read_location(field.get_view());
        break;
      case function:
        read_function(field.get_view());
        break;
      case period_type:
        read_.period_type = value_type(field.get_view());
        break;
      case period:
        read_.period = field.get_int64();
        break;
      case duration_nanos:
        read_.duration_ns = field.get_int64();
        break;
      case time_nanos:
        read_.time_ns = field.get_int64();
        break;
      case comment:
        read_.comments.push_back(text(field.get_int64()));
        break;
      case default_sample_type:
        read_.default_type = text(field.get_int64());
        break;
      case string_table:
        field.skip();
        break;
      default:
        FAIL("no such field");
    }
  }

  PprofProfile::ValueType value_type(const View& bytes) const {
    PprofProfile::ValueType type;
    each<pprof::ValueTypeField>(bytes, [&](auto& field) {
      (field.tag() == pprof::ValueTypeField::type ? type.first : type.second) = text(field.get_int64());
    });
    return type;
  }

  void read_sample(const View& bytes) {
    PprofProfile::Sample& sample = read_.samples.emplace_back();
    each<pprof::SampleField>(bytes, [&](auto& field) {
      if (field.tag() == pprof::SampleField::location_id) {
        for (const std::uint64_t id : field.get_packed_uint64()) sample.locations.push_back(id);
      } else if (field.tag() == pprof::SampleField::value) {
        for (const std::int64_t value : field.get_packed_int64()) sample.values.push_back(value);
      } else {
        PprofProfile::Label& label = sample.labels.emplace_back();
        each<pprof::LabelField>(field.get_view(), [&](auto& part) {
          const std::int64_t number = part.get_int64();
          if (part.tag() == pprof::LabelField::key) label.key = text(number);
          if (part.tag() == pprof::LabelField::str) label.value = text(number);
          if (part.tag() != pprof::LabelField::num) return;
          label.value = std::to_string(number);
          label.is_number = true;
        });
      }
    });
  }

  void read_mapping(const View& bytes) {
    using enum pprof::MappingField;
    std::uint64_t its_id = 0;
    PprofProfile::Mapping mapping;
    each<pprof::MappingField>(bytes, [&](auto& field) {
      const auto number = static_cast<std::int64_t>(field.get_uint64());
      const auto knows = [&](const char* what) {
        if (number != 0) mapping.knows += (mapping.knows.empty() ? "" : " ") + std::string(what);
      };
      if (field.tag() == id) its_id = static_cast<std::uint64_t>(number);
      if (field.tag() == memory_start) mapping.start = static_cast<std::uint64_t>(number);
      if (field.tag() == memory_limit) mapping.limit = static_cast<std::uint64_t>(number);
      if (field.tag() == file_offset) mapping.offset = static_cast<std::uint64_t>(number);
      if (field.tag() == filename) mapping.file = text(number);
      if (field.tag() == build_id) mapping.build_id = text(number);
      if (field.tag() == has_functions) knows("functions");
      if (field.tag() == has_filenames) knows("files");
      if (field.tag() == has_line_numbers) knows("lines");
      if (field.tag() == has_inline_frames) knows("inlined");
    });
    CHECK(its_id != 0);
    CHECK(read_.mappings.emplace(its_id, mapping).second);
  }

  void read_location(const View& bytes) {
    std::uint64_t id = 0;
    PprofProfile::Location location;
    each<pprof::LocationField>(bytes, [&](auto& field) {
      if (field.tag() == pprof::LocationField::line) {
        PprofProfile::Line& line = location.lines.emplace_back();
        each<pprof::LineField>(field.get_view(), [&](auto& part) {
          if (part.tag() == pprof::LineField::function_id) {
            line.function = part.get_uint64();
          } else {
            line.line = part.get_int64();
          }
        });
        return;
      }
      const std::uint64_t number = field.get_uint64();
      if (field.tag() == pprof::LocationField::id) id = number;
      if (field.tag() == pprof::LocationField::mapping_id) location.mapping = number;
      if (field.tag() == pprof::LocationField::address) location.address = number;
    });
    CHECK(id != 0);
    CHECK(read_.locations.emplace(id, location).second);
  }

  void read_function(const View& bytes) {
    std::uint64_t id = 0;
    PprofProfile::Function function;
    each<pprof::FunctionField>(bytes, [&](auto& field) {
      const std::uint64_t number = field.get_uint64();
      if (field.tag() == pprof::FunctionField::id) id = number;
      if (field.tag() == pprof::FunctionField::name) function.name = text(static_cast<std::int64_t>(number));
      if (field.tag() == pprof::FunctionField::filename) function.file = text(static_cast<std::int64_t>(number));
    });
    CHECK(id != 0);
    CHECK_FALSE(function.name.empty());
    CHECK(read_.functions.emplace(id, function).second);
  }

  // Fails for everything that pprof itself refuses, and for things that are written but never used.
  void check_references() const {
    std::set<std::uint64_t> locations;
    std::set<std::uint64_t> functions;
    std::set<std::uint64_t> mappings;
    for (const auto& sample : read_.samples) {
      CHECK(sample.values.size() == read_.types.size());
      CHECK_FALSE(sample.locations.empty());
      locations.insert(sample.locations.begin(), sample.locations.end());
    }
    for (const auto& [id, location] : read_.locations) {
      CHECK(locations.contains(id));
      if (location.mapping != 0) mappings.insert(location.mapping);
      for (const auto& line : location.lines) functions.insert(line.function);
    }
    CHECK(locations.size() == read_.locations.size());
    CHECK(functions.size() == read_.functions.size());
    CHECK(mappings.size() == read_.mappings.size());
    for (const std::uint64_t id : functions) CHECK(read_.functions.contains(id));
    for (const std::uint64_t id : mappings) CHECK(read_.mappings.contains(id));
  }

  std::string message_;
  PprofProfile read_;
};

inline PprofProfile read_pprof(const Profile& profile, const OutputOptions& options = {}) {
  std::ostringstream out;
  find_output_format("pprof")->make(options).report(out, profile);
  return PprofReader(out.str()).profile();
}

}  // namespace profile::test
