// Uses the words of the other formats for people: the measurement as in the header, the account as in the summary.
#include <cmath>

#include "output/clean_text.h"
#include "output/flame/picture.h"
#include "output/header.h"
#include "output/text_table.h"
#include "support/clock.h"

namespace profile {
namespace {

std::string per_cent(double share) { return decimal(100 * share, share < 0.1 ? 2 : 1); }

std::string account_of(const Account& account) {
  std::string text = grouped(account.taken) + " taken: " + grouped(account.recorded) + " recorded";
  if (account.idle != 0) text += ", " + grouped(account.idle) + " idle";
  if (account.filtered != 0) text += ", " + grouped(account.filtered) + " filtered";
  text += ", " + grouped(account.lost()) + " lost";
  if (!account.balanced()) text += ", the sum is not what was taken";
  return text;
}

std::string totals_of(const Profile& profile, std::uint64_t total) {
  const std::string unit = clean_text(profile.run.unit.word());
  const std::string counted = clean_text(profile.run.counted);
  std::string text = grouped(total) + ' ' + unit;
  if (!profile.run.counts_samples()) {
    std::uint64_t samples = 0;
    for (const Row& row : profile.rows()) samples += row.samples;
    if (samples != 0) text += " in " + grouped(samples) + ' ' + counted;
  }
  if (profile.duration_ns != 0) text += " in " + seconds(to_seconds(profile.duration_ns)) + " s";
  if (const std::string place = place_of(profile.run, profile.began_unix_ns); !place.empty()) text += " on " + place;
  if (profile.account.is_known) text += "; " + account_of(profile.account);
  return text;
}

// "+1.20 points"
std::string signed_points(double change) {
  return std::string(change < 0 ? "-" : "+") + per_cent(std::abs(change)) + " points";
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string share_of(std::uint64_t part, std::uint64_t whole) {
  const double share = ratio(part, whole);
  if (share > 0 && share < 0.0001) return "<0.01 %";
  return per_cent(share) + " %";
}

FlameCaption caption_of(const FlameView& view, const FlameGraph& graph) {
  FlameCaption caption{.title = title_of(*view.profile),
                       .totals = totals_of(*view.profile, graph.total()),
                       .command = clean_text(view.profile->run.command_line)};
  if (view.before == nullptr) return caption;
  caption.title = "Change of shares: " + caption.title;
  caption.totals = "now " + caption.totals + "; before " + totals_of(*view.before, graph.total_before());
  return caption;
}

std::string tooltip_of(const FlameView& view, const FlameGraph& graph, const FlameBox& box) {
  std::string text = graph.name_of(box) + '\n' + grouped(box.total) + " of " + grouped(graph.total()) + ' ' +
                     clean_text(view.profile->run.unit.word()) + " (" + share_of(box.total, graph.total()) + ")";
  if (box.self != 0) text += ", " + grouped(box.self) + " in itself";
  std::string place;
  const auto add = [&place](std::string_view words) {
    if (words.empty()) return;
    place += place.empty() ? '\n' : ' ';
    place += words;
  };
  if (box.frame != FlameTable::none) {
    const FlameTable::Frame& frame = view.table->frames()[box.frame];
    const StringTable& strings = view.table->strings();
    add(strings.view(frame.module));
    const std::string line = frame.line == 0 ? "" : ':' + std::to_string(frame.line);
    add(frame.file == StringId::empty && !line.empty() ? "line " + line.substr(1)
                                                       : std::string(strings.view(frame.file)) + line);
    // Brackets around the module already mark kernel frames.
    if (frame.kind != FlameKind::user && frame.kind != FlameKind::kernel) {
      add("(" + word_of(frame.kind, view.profile->run) + ")");
    }
  }
  text += place;
  if (!graph.is_comparison()) return text;
  const double change = ratio(box.total, graph.total()) - ratio(box.before, graph.total_before());
  text += '\n' + signed_points(change);
  if (box.change != nullptr) {
    text += " ± " + decimal(100 * box.change->share.margin(), 2) + (box.change->is_sure ? "" : ", which may be chance");
  }
  return text + ", from " + share_of(box.before, graph.total_before());
}

}  // namespace profile
