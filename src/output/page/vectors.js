// The value of each pair as a vector: functions that add to it and move it to the numbers of another table.

// Adds `values` of `pairs` to a vector. Returns the vector, or a larger copy if it had to grow.
function addTo(vector, pairs, values, pairCount) {
  let sums = vector;
  if (sums.length < pairCount) {
    sums = new Float64Array(Math.max(pairCount, vector.length * 2));
    sums.set(vector);
  }
  for (let i = 0; i < pairs.length; ++i) sums[pairs[i]] += values[i];
  return sums;
}

function vectorOf(table, cells) {
  const pairs = table.pairsOf(cells);
  return addTo(new Float64Array(0), pairs, cells.value, table.pairs.owner.length);
}

// Moves values to the numbers of another table, by names. The server sometimes makes its table smaller: a stack that is
// gone becomes its longest part that still exists, as on the server. `lost` is the value of processes that are gone.
function carried(vector, from, to) {
  const nodeOf = carriedNodes(from, to);
  const ownerOf = carriedOwners(from, to);
  const cells = {owner: [], node: [], value: []};
  let lost = 0;
  for (let pair = 0; pair < vector.length; ++pair) {
    if (vector[pair] === 0) continue;
    const owner = ownerOf(from.pairs.owner.data[pair]);
    const node = from.pairs.node.data[pair];
    if (owner === undefined) {
      lost += vector[pair];
      continue;
    }
    cells.owner.push(owner);
    cells.node.push(node === none ? none : nodeOf[node]);
    cells.value.push(vector[pair]);
  }
  const pairs = to.pairsOf(cells, true);
  return {vector: addTo(new Float64Array(0), pairs, cells.value, to.pairs.owner.length), lost};
}

function carriedNodes(from, to) {
  const frames = new Map();
  for (let frame = 0; frame < to.frames.name.length; ++frame) frames.set(to.frameKey(frame), frame);
  const children = new Map();
  const {parent, frame} = to.nodes;
  for (let node = 0; node < parent.length; ++node) children.set(pairKey(parent.data[node] + 1, frame.data[node]), node);
  const count = from.nodes.parent.length;
  const nodeOf = new Int32Array(count);
  const isWhole = new Uint8Array(count);
  const frameOf = Array.from({length: from.frames.name.length}, (_, id) => frames.get(from.frameKey(id)));
  for (let node = 0; node < count; ++node) {
    const below = from.nodes.parent.data[node];
    const known = frameOf[from.nodes.frame.data[node]];
    const bottom = below === none ? none : nodeOf[below];
    const hasWay = (below === none || isWhole[below] === 1) && known !== undefined;
    const found = hasWay ? children.get(pairKey(bottom + 1, known)) : undefined;
    isWhole[node] = found === undefined ? 0 : 1;
    nodeOf[node] = found === undefined ? bottom : found;
  }
  return nodeOf;
}

// Maps an owner to the equal owner in `to`, or else to any owner of the same process.
function carriedOwners(from, to) {
  const whole = (table, owner) => ['process', 'thread', 'cpu'].map((name) => table.keyOf(name, owner)).join('\n');
  const owners = new Map();
  for (let owner = to.ownerCount - 1; owner >= 0; --owner) {
    owners.set(to.keyOf('process', owner), owner);
    owners.set(whole(to, owner), owner);
  }
  return (owner) => {
    const exact = owners.get(whole(from, owner));
    return exact !== undefined ? exact : owners.get(from.keyOf('process', owner));
  };
}
