// The default format: one block per stack, one line per frame. The hottest block is the last, so that it is next to the
// prompt or to the tables.
#include <ostream>
#include <string>

#include "output/header.h"
#include "output/labelled_rows.h"
#include "output/output.h"
#include "output/tables.h"

namespace profile {
namespace {

class Counted final : public Output {
 public:
  explicit Counted(const OutputOptions& options) : top_(options.top) {
    wording_.owner = Wording::Owner::thread_and_tgid;
    wording_.owner_first = false;
    wording_.root_first = false;
    wording_.offsets = true;
    wording_.modules = true;
    wording_.addresses = options.show_addresses;
    wording_.semicolon = Semicolon::keep;
    if (options.delimited) wording_.delimiter = "--";
  }

  void begin(std::ostream& out, const RunInfo& run) const override { write_header(out, run); }

  void report(std::ostream& out, const Profile& profile) const override {
    write_stacks(out, profile);
    write_tables(out, profile, top_);
  }

 private:
  void write_stacks(std::ostream& out, const Profile& profile) const {
    const LabelledRows labelled(profile, wording_);
    std::string block;
    labelled.each_by_value([&](const LabelledRow& row, std::span<const Label> frames) {
      block.clear();
      for (const Label frame : frames) block.append("    ").append(labelled.text(frame)).append(1, '\n');
      block.append("    -                ").append(labelled.text(row.owner)).append("\n        ");
      block.append(std::to_string(row.value)).append("\n\n");
      out << block;
    });
  }

  Wording wording_;
  std::size_t top_;
};

}  // namespace

std::unique_ptr<Output> make_counted(const OutputOptions& options) { return std::make_unique<Counted>(options); }

}  // namespace profile
