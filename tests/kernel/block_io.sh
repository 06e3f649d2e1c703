#!/usr/bin/env bash
# Requests to a block device: their counts and bytes per operation must equal the kernel's own statistics of the device.
# Each has the stack that made it, with the operation and the device at the leaf.
source "$(dirname "$0")/sampling.bash"
need_event block-io
need_command losetup dd
dd if=/dev/zero of="$tmp/disk" bs=1M count=16 2>/dev/null
loop=$(losetup --find --show --direct-io=off "$tmp/disk" 2>/dev/null) || skip "there is no loop device to be had here"
at_exit "losetup -d '$loop'"
disk=${loop#/dev/}
[[ -r /sys/block/$disk/stat ]] || skip "/sys/block/$disk is not there"

# statistics : sets $reads, $read_bytes, $writes, $written_bytes and $flushes since the start.
statistics() {
  local read_sectors written_sectors
  read -r reads _ read_sectors _ writes _ written_sectors _ _ _ _ _ _ _ _ flushes _ <"/sys/block/$disk/stat"
  read_bytes=$((read_sectors * 512)) written_bytes=$((written_sectors * 512))
}
# row_of OPERATION : sets $count, $total_us and $bytes from the table; zeros when there is no such row.
row_of() {
  count=0 total_us=0 bytes=0
  read -r count total_us bytes < <(awk -v disk="$disk" -v operation="$1" \
    'NF == 7 && $6 == disk && $7 == operation { printf "%d %d %d\n", $1, $2 * 1000, $5 }' "$tmp/out")
}

statistics
before_writes=$writes before_written_bytes=$written_bytes
profile -e block-io -o "$tmp/run.folded" -o - -- dd if=/dev/zero of="$loop" bs=64k count=100 oflag=direct conv=notrunc
expect_status 0
expect_balance
statistics
row_of write
expect_equal "$count" $((writes - before_writes)) "writes"
expect_equal "$count" 100 "writes"
expect_equal "$bytes" $((written_bytes - before_written_bytes)) "bytes written"
expect_equal "$bytes" 6553600 "bytes written"
expect_equal "$(share_of "^dd;.*vfs_write.*;\[write $disk\] " "$tmp/run.folded")" 100.00 "per cent of the time in write requests of dd"
# The table and the stacks show the same requests.
expect_between "$(folded_total "\[write $disk\]" "$tmp/run.folded")" $((total_us - 2)) $((total_us + 2)) "microseconds"

# All processes: nothing is missing of a process that reads, writes and flushes. Other processes may read a written
# device when the run begins or ends, so the counts lie between the inner and the outer statistics.
statistics
outer_reads=$reads outer_read_bytes=$read_bytes outer_writes=$writes outer_written_bytes=$written_bytes outer_flushes=$flushes
begin_counted -e block-io 600
statistics
before_reads=$reads before_read_bytes=$read_bytes before_writes=$writes before_written_bytes=$written_bytes
before_flushes=$flushes
dd if="$loop" of=/dev/null bs=256k count=20 iflag=direct 2>/dev/null
dd if=/dev/zero of="$loop" bs=4k count=300 conv=notrunc,fsync 2>/dev/null
statistics
reads_least=$((reads - before_reads)) read_bytes_least=$((read_bytes - before_read_bytes)) writes_least=$((writes - before_writes))
written_bytes_least=$((written_bytes - before_written_bytes)) flushes_least=$((flushes - before_flushes))
kill -INT "$profiler"
finish
statistics
expect_status 0
expect_balance
row_of read
expect_between "$count" "$reads_least" $((reads - outer_reads)) "reads"
expect_between "$bytes" "$read_bytes_least" $((read_bytes - outer_read_bytes)) "bytes read"
((count >= 20)) || fail "only $count reads; $(outcome)"
# A flush reaches the device's queue as an empty write, which the statistics count in addition. It is never issued as a
# write.
row_of flush
flushed=$count
expect_between "$flushed" "$flushes_least" $((flushes - outer_flushes)) "flushes"
((flushed > 0)) || fail "there was no flush; $(outcome)"
row_of write
expect_between "$((count + flushed))" "$writes_least" $((writes - outer_writes)) "writes and flushes"
expect_between "$bytes" "$written_bytes_least" $((written_bytes - outer_written_bytes)) "bytes written"

# Work that happens once per report must not count as the cost of a sample. It shows when there is no sample.
profile -e block-io -p $$ 0.2
expect_status 0
expect_balance
if ((taken == 0)); then expect_no_err '[0-9]{3,}\.[0-9] us a sample'; fi
