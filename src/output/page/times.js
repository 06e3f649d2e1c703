// The samples of a recording with their times, as columns in the order of time, and sums of parts of them. Times are
// whole ticks since the beginning of the run, and a part is {from, to}: from `from` on and before `to`.

// Runs in a worker, because a million samples take a second to unpack: it uses nothing else of the page.
async function decodeSamples({text, samples}) {
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < packed.length; ++i) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let at = 0;
  const next = () => {
    let number = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++];
      number += (byte & 127) * scale;
      if (byte < 128) return number;
    }
    throw new RangeError('it has fewer samples than it says');
  };
  const columns = {time: new Float64Array(samples), cell: new Int32Array(samples), value: new Float64Array(samples)};
  let time = 0;
  for (let i = 0; i < samples; ++i) columns.time[i] = time += next();
  for (let i = 0; i < samples; ++i) columns.cell[i] = next();
  for (let i = 0; i < samples; ++i) columns.value[i] = next();
  return columns;
}

// Returns a promise of the columns.
function readSamples(given) {
  const source = `${decodeSamples}
    onmessage = ({data}) => decodeSamples(data).then(
      (columns) => postMessage({columns}, Object.values(columns).map(({buffer}) => buffer)),
      (error) => postMessage({error: error.message}));`;
  const url = URL.createObjectURL(new Blob([source], {type: 'text/javascript'}));
  return new Promise((done, refuse) => {
    const worker = new Worker(url);
    worker.onmessage = ({data: {columns, error}}) => {
      worker.terminate();
      URL.revokeObjectURL(url);
      if (error === undefined) done(columns);
      else refuse(new Error(error));
    };
    // Some browsers start no worker for a page from disk.
    worker.onerror = () => decodeSamples(given).then(done, refuse);
    worker.postMessage(given);
  });
}

class Times {
  // `pairs`: those of the table, in whose numbers the cells are.
  constructor({time, cell, value}, pairs) {
    Object.assign(this, {time, cell, value, pairs});
    if (cell.some((pair) => pair >= pairs.owner.length)) throw new RangeError('it has samples of unknown stacks');
    this.longest = 0;  // the largest value, which bounds where a span begins
    for (const is of value) this.longest = Math.max(this.longest, is);
  }
  // The number of the first sample at `tick` or later.
  firstAt(tick) {
    let low = 0;
    let high = this.time.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[middle] < tick) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  // The values of the pairs in that part of the time.
  sumOf({from, to}) {
    const sums = new Float64Array(this.pairs.owner.length);
    const end = this.firstAt(to);
    for (let i = this.firstAt(from); i < end; ++i) sums[this.cell[i]] += this.value[i];
    return sums;
  }
  // The values of each lane in equal pieces of the time: those of a lane are together. `laneOf`: by pair; `none`: not
  // shown. `isMarked`: by pair, or null.
  pieces({from, to}, count, laneOf, lanes, isMarked) {
    const all = new Float64Array(lanes * count);
    const marked = isMarked === null ? null : new Float64Array(lanes * count);
    const scale = count / (to - from);
    const end = this.firstAt(to);
    for (let i = this.firstAt(from); i < end; ++i) {
      const pair = this.cell[i];
      if (laneOf[pair] === none) continue;
      const piece = laneOf[pair] * count + Math.min(count - 1, Math.floor((this.time[i] - from) * scale));
      all[piece] += this.value[i];
      if (marked !== null && isMarked[pair]) marked[piece] += this.value[i];
    }
    return {all, marked};
  }
}
