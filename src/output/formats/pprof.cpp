// The format of `go tool pprof` and of its collectors: a gzip-compressed protocol buffer with one sample per row, leaf
// first. Process and thread are labels. It is written piece by piece; only the table of texts and a few numbers per
// frame are kept.
#include <protozero/pbf_builder.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "model/stack_end.h"
#include "output/formats/pprof_sink.h"
#include "output/formats/pprof_tables.h"
#include "output/header.h"
#include "output/output.h"
#include "output/shown_frame.h"
#include "support/error.h"

namespace profile {
namespace {

using pprof::identifier;
using pprof::LabelField;
using pprof::ProfileField;
using pprof::SampleField;
using pprof::ValueTypeField;

std::int64_t to_signed(std::uint64_t value) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max()));
}

struct ValueType {
  std::string type;
  std::string unit;
};

// The numbers of a row. The value comes after the number of samples, because pprof shows the last one by default.
struct Values {
  std::vector<ValueType> types;
  bool are_samples = false;  // the value is a number of samples, and each stands for `period`
  ValueType period_type;
  std::uint64_t period = 0;  // 0: not known, or not constant
};

Values values_of(const Profile& profile) {
  const RunInfo& run = profile.run;
  Values values;
  values.types.push_back({identifier(run.counted), "count"});
  if (run.unit == Unit::samples) {
    values.are_samples = true;
    values.period = clock_period_ns(run);
    values.period_type = {"cpu", "nanoseconds"};
    if (values.period != 0) values.types.push_back(values.period_type);
    return values;
  }
  if (!is_count(run.unit.kind())) {
    values.period_type = {identifier(run.event), run.unit.word()};
    if (run.unit == Unit::microseconds) values.period = clock_period_ns(run) / 1000;
  } else if (run.counts_samples()) {
    values.are_samples = true;
    values.period = 1;
    values.period_type = values.types.back();
    return values;
  } else {
    values.period_type = {identifier(run.unit.word()), "count"};
    values.period = run.period_events;
  }
  // An event without a rate is recorded each time.
  if (run.frequency_hz == 0 && run.period_events == 0) values.period = 1;
  // Zeros would say that there were no samples. A count needs them all the same, because readers take a lone count for
  // the number of samples.
  if (values.period_type.unit != "count" && !profile.knows_samples()) values.types.clear();
  values.types.push_back(values.period_type);
  return values;
}

void add_account(std::vector<std::string>& comments, const Account& account) {
  const auto part = [](std::uint64_t count, const char* what) { return std::to_string(count) + " " + what; };
  comments.push_back(part(account.taken, "samples taken: ") + part(account.recorded, "recorded, ") +
                     part(account.idle, "idle, ") + part(account.filtered, "filtered, ") +
                     part(account.lost(), "lost"));
  if (account.skipped != 0) comments.push_back(part(account.skipped, "ticks skipped, for which samples stand"));
  for (const LossReason& reason : loss_reasons) {
    if (account.*reason.count == 0) continue;
    comments.push_back(part(account.*reason.count, "lost: ") + std::string(reason.words));
  }
}

// Texts for people, because the format has no other place for them.
std::vector<std::string> comments_of(const Profile& profile, const StackEndCounts& ends) {
  std::vector<std::string> comments{header_line(profile.run)};
  if (profile.account.is_known) add_account(comments, profile.account);
  if (ends.any_known()) comments.push_back(std::to_string(ends.of(StackEnd::root)).append(pprof::whole_comment));
  ends.each([&](StackEnd end, std::uint64_t samples) {
    if (!is_incomplete(end) || samples == 0) return;
    comments.push_back(std::to_string(samples) + " user stacks incomplete: " + std::string(words_of(end).words));
  });
  if (profile.run.headline.empty() || !profile.run.heading.empty()) comments.push_back(title_of(profile));
  if (const std::string place = place_of(profile.run, profile.began_unix_ns); !place.empty()) {
    comments.push_back(std::string(pprof::place_comment) + place);
  }
  return comments;
}

// The stack of the waker in one text, as waker_stack_label has it.
std::string folded_waker(const Profile& profile, const Row& row) {
  std::vector<std::string> leaf_first;
  const auto add = [&](StackId stack, std::string_view if_missed, std::string_view mark) {
    if (stack == StackId::missed) leaf_first.emplace_back(if_missed);
    for_each_shown(profile, stack, [&](const ShownFrame& shown) {
      std::string name;
      append_function(name, profile, shown, Semicolon::replace);
      leaf_first.push_back(name.append(mark));
    });
  };
  add(row.waker_kernel, missed_kernel_stack, pprof::kernel_mark);
  add(row.waker_user, missed_user_stack, {});
  std::string text;
  for (auto one = leaf_first.rbegin(); one != leaf_first.rend(); ++one) {
    if (!text.empty()) text += ';';
    text += *one;
  }
  return text;
}

class Writer {
 public:
  Writer(std::ostream& out, const Profile& profile, const OutputOptions& options)
      : profile_(profile),
        for_store_(options.for_store),
        values_(values_of(profile)),
        sink_(out),
        tables_(profile, options.hide_addresses) {
    if (!for_store_) ends_.add(profile);  // no sample says how its stack ends
  }

  void write() {
    for (const ValueType& type : values_.types) write_value_type(ProfileField::sample_type, type);
    // Without a period it is not known what a sample stands for.
    if (values_.period != 0 || !values_.are_samples) write_value_type(ProfileField::period_type, values_.period_type);
    if (values_.period != 0) sink_.number(ProfileField::period, to_signed(values_.period));
    sink_.number(ProfileField::default_sample_type, tables_.text(values_.types.back().type));
    if (profile_.began_unix_ns != 0) sink_.number(ProfileField::time_nanos, to_signed(profile_.began_unix_ns));
    if (profile_.duration_ns != 0) sink_.number(ProfileField::duration_nanos, to_signed(profile_.duration_ns));
    for (const std::string& comment : comments_of(profile_, ends_)) {
      sink_.number(ProfileField::comment, tables_.text(comment));
    }
    for (const Row& row : profile_.rows()) write_sample(row);
    tables_.write(sink_);
    sink_.finish();
  }

 private:
  void write_value_type(ProfileField field, const ValueType& type) {
    sink_.message<ValueTypeField>(field, [&](auto& message) {
      message.add_int64(ValueTypeField::type, tables_.text(type.type));
      message.add_int64(ValueTypeField::unit, tables_.text(type.unit));
    });
  }

  // pprof's numbers are signed.
  static std::int64_t product(std::uint64_t value, std::uint64_t factor) {
    std::int64_t number = 0;
    if (__builtin_mul_overflow(value, factor, &number)) throw Error("pprof has no numbers above 2^63 - 1");
    return number;
  }

  void write_sample(const Row& row) {
    find_locations(row);
    // If the value is a number of samples, it is the first number.
    const std::array<std::int64_t, 2> values = {product(values_.are_samples ? row.value : row.samples, 1),
                                                product(row.value, values_.are_samples ? values_.period : 1)};
    const Process& process = profile_.process(row.process);
    sink_.message<SampleField>(ProfileField::sample, [&](auto& sample) {
      sample.add_packed_uint64(SampleField::location_id, locations_.begin(), locations_.end());
      const auto count = static_cast<std::ptrdiff_t>(values_.types.size());
      const auto* const first = count == 1 && !values_.are_samples ? values.end() - 1 : values.begin();
      sample.add_packed_int64(SampleField::value, first, first + count);
      add_label(sample, "process", name(process.name));
      if (for_store_) return;
      add_label(sample, "pid", process.tgid);
      add_label(sample, "thread", name(row.thread_name));
      add_label(sample, "tid", row.tid);
      // CPU 0 exists, and pprof drops a number 0 without a unit. It does not show the unit "count".
      if (row.cpu != any_cpu) add_label(sample, "cpu", row.cpu, "count");
      add_end(sample, row.user);
      add_waker(sample, row);
    });
  }

  // Fills locations_ with the locations of `row`, leaf first.
  void find_locations(const Row& row) {
    locations_.clear();
    for (const ShownPart& part : shown_parts(profile_, row)) {
      if (part.stack == StackId::none) locations_.push_back(tables_.stand_in(part.text));
      bool is_leaf = true;
      for (const FrameId frame : profile_.stack(part.stack)) {
        locations_.push_back(tables_.location(frame, row.value, is_leaf));
        is_leaf = false;
      }
    }
    // pprof lists only samples with a location. Without this one the sum of its list would be less than the total.
    if (locations_.empty()) locations_.push_back(tables_.stand_in(no_stack_name));
  }

  using SampleBuilder = protozero::pbf_builder<SampleField>;

  [[nodiscard]] std::string_view name(StringId id) const {
    const std::string_view words = profile_.strings.view(id);
    return words.empty() ? unknown_name : words;
  }

  void add_label(SampleBuilder& sample, std::string_view key, std::string_view words) {
    protozero::pbf_builder<LabelField> label(sample, SampleField::label);
    label.add_int64(LabelField::key, tables_.text(key));
    label.add_int64(LabelField::str, tables_.text(words));
  }

  // 0 without a unit means "not known", here and in the format.
  void add_label(SampleBuilder& sample, std::string_view key, std::uint32_t number, std::string_view unit = {}) {
    if (number == 0 && unit.empty()) return;
    protozero::pbf_builder<LabelField> label(sample, SampleField::label);
    label.add_int64(LabelField::key, tables_.text(key));
    label.add_int64(LabelField::num, number);
    if (!unit.empty()) label.add_int64(LabelField::num_unit, tables_.text(unit));
  }

  // If no stack has a known end, the label has no use.
  void add_end(SampleBuilder& sample, StackId user) {
    const StackEnd end = profile_.end_of(user);
    if (!ends_.any_known() || profile_.stack(user).empty() || end == StackEnd::root) return;
    add_label(sample, pprof::stack_end_label, words_of(end).key);
  }

  void add_waker(SampleBuilder& sample, const Row& row) {
    if (row.waker == StringId::empty) return;
    add_label(sample, pprof::waker_label, name(row.waker));
    const std::string stack = folded_waker(profile_, row);
    if (!stack.empty()) add_label(sample, pprof::waker_stack_label, stack);
  }

  const Profile& profile_;
  bool for_store_;
  StackEndCounts ends_;
  Values values_;
  PprofSink sink_;
  PprofTables tables_;
  std::vector<std::uint64_t> locations_;  // of the current sample
};

}  // namespace

Output make_pprof(const OutputOptions& options) {
  return {.report = [options](std::ostream& out, const Profile& profile) { Writer(out, profile, options).write(); }};
}

}  // namespace profile
