// Writes a profile for `go tool pprof`, with one location per frame, as the profiler does.

class Message {
  constructor() {
    this.bytes = new Column(Uint8Array);
  }
  varint(value) {
    let left = value;
    for (; left >= 128; left = Math.floor(left / 128)) this.bytes.push((left % 128) | 128);
    this.bytes.push(left);
  }
  number(field, value) {
    this.varint(field * 8);
    this.varint(value);
    return this;
  }
  chunk(field, bytes) {
    this.varint(field * 8 + 2);
    this.varint(bytes.length);
    this.bytes.append(bytes);
    return this;
  }
  message(field, message) {
    return this.chunk(field, message.written);
  }
  numbers(field, values) {
    const packed = new Message();
    for (const value of values) packed.varint(value);
    return this.message(field, packed);
  }
  get written() {
    return this.bytes.data.subarray(0, this.bytes.length);
  }
}

// The type and unit of the values, with the names that the profiler uses.
function valueType(run) {
  const plain = (name) => name.replace(/[^A-Za-z0-9]/g, '_');
  if (run.unit === 'samples') return [plain(run.counted || 'samples'), 'count'];
  const isMeasure = ['microseconds', 'nanoseconds', 'bytes'].includes(run.unit);
  return isMeasure ? [plain(run.event || 'value'), run.unit] : [plain(run.unit), 'count'];
}

// A comparison has two values per sample: before and now.
function pprofOf({table, pairs, frames}, run, comparing) {
  const texts = new Numbered();
  const files = new Numbered(1);
  const text = (words) => texts.of(words);
  text('');
  const out = new Message();
  const type = ([name, unit]) => new Message().number(1, text(name)).number(2, text(unit));
  const [name, unit] = valueType(run);
  if (comparing) out.message(1, type([`${name}_before`, unit]));
  out.message(1, type([name, unit]));
  const label = (key, is) => {
    const written = new Message().number(1, text(key));
    return typeof is === 'string' ? written.number(2, text(is)) : written.number(3, is);
  };
  const {parent, frame} = table.nodes;
  const {pid, tid, thread, cpu} = table.owners;
  for (const {owner, node, value, before} of pairs) {
    const stack = [];
    for (let at = node; at !== none; at = parent.data[at]) stack.push(frames.ids.get(frame.data[at]) + 1);
    const sample = new Message().numbers(1, stack).numbers(2, comparing ? [before, value] : [value]);
    sample.message(3, label('process', table.processes.itemOf(owner).name));
    if (pid.data[owner] !== 0) sample.message(3, label('pid', pid.data[owner]));
    const threadName = table.strings[thread.data[owner]];
    if (threadName !== '') sample.message(3, label('thread', threadName));
    if (tid.data[owner] !== 0) sample.message(3, label('tid', tid.data[owner]));
    if (cpu.data[owner] >= 0) sample.message(3, label('cpu', cpu.data[owner]).number(4, text('count')));
    out.message(2, sample);
  }
  frames.kept.forEach((id, i) => {
    const {name: symbol, module, file, line} = table.frame(id);
    const location = new Message().number(1, i + 1);
    if (module !== '') location.number(2, files.of(module));
    out.message(4, location.message(4, new Message().number(1, i + 1).number(2, line)));
    out.message(5, new Message().number(1, i + 1).number(2, text(symbol)).number(3, text(symbol)).number(4, text(file)));
  });
  for (const [module, id] of files.ids) {
    out.message(3, new Message().number(1, id).number(5, text(module)).number(7, 1));
  }
  out.number(13, text(run.title || run.event || 'profile')).number(14, text(name));
  if (run.duration_s) out.number(10, Math.round(run.duration_s * 1e9));
  for (const words of texts.ids.keys()) out.chunk(6, encoder.encode(words));
  return out.written;
}

// Compresses if the browser can; pprof reads both forms.
async function zipped(bytes) {
  if (typeof CompressionStream === 'undefined') return {bytes, isZipped: false};
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return {bytes: await new Response(stream).blob(), isZipped: true};
}
