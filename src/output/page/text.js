// Words and colours: what a value, a share, a box is called, and how it is coloured.

const microsecondsIn = [['s', 1e6], ['ms', 1e3], ['µs', 1]];
const bytesIn = [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10], ['B', 1]];
const nanosecondsIn = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]];
const scales = {microseconds: microsecondsIn, nanoseconds: nanosecondsIn, bytes: bytesIn};

function count(number) {
  return number.toLocaleString('en-US', {maximumFractionDigits: 0});
}

// "1,234 samples", "1.50 s", "3.2 MiB"
function amount(value, unit) {
  const scale = scales[unit];
  if (scale === undefined) return `${count(value)} ${value === 1 && unit.endsWith('s') ? unit.slice(0, -1) : unit}`;
  const [name, size] = scale.find(([, least]) => value >= least) || scale[scale.length - 1];
  const number = value / size;
  return `${size === 1 ? count(number) : number.toPrecision(Math.max(3, String(Math.floor(number)).length))} ${name}`;
}

// Where the unit is told elsewhere: a plain number of what is counted.
function shortAmount(value, unit) {
  return scales[unit] === undefined ? count(value) : amount(value, unit);
}

// "12.3 %"; what is not nothing is never shown as such.
function percent(share) {
  if (share > 0 && share < 0.0001) return '<0.01 %';
  return `${(share * 100).toFixed(share < 0.1 && share > 0 ? 2 : 1)} %`;
}

function points(difference) {
  const text = Math.abs(difference * 100).toFixed(Math.abs(difference) < 0.1 ? 2 : 1);
  return `${difference < 0 ? '−' : '+'}${text} points`;
}

function place({file, line}) {
  return line === 0 ? file : `${file}:${line}`;
}

// The stack that leads to a box as a folded line has it; a semicolon in a name would part it.
function foldedLine(tree, box) {
  const line = tree.lineOf(box);
  const frames = line.filter((at) => tree.isFrame(at));
  if (tree.inverted) frames.reverse();
  const groups = line.filter((at) => tree.isGroup(at)).map((at) => tree.groupOf(at).name);
  const names = [...groups, ...frames.map((at) => tree.nameOf(at))];
  return `${(names.length === 0 ? ['all'] : names).map((name) => name.replaceAll(';', ':')).join(';')} ${tree.total[box]}`;
}

const kindWords = kindTable.map(({word}) => word);
// What a tag is goes by what was measured: "system call".
function nameTags(run) {
  kindWords[kinds.tag] = run.tag || 'state';
}

// Of a text, as the pictures have it: FNV-1a over its bytes.
const encoder = new TextEncoder();
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

const shortKeyOf = (text) => hashOf(text).toString(36);

// The words that search for just this name.
const exactly = (name) => `"${name}"`;

// What is matched by a search: null for an empty one. "…" is the whole name, /…/ a regular expression, anything else a
// part of the name. Throws SyntaxError when the expression is none.
function matcherOf(words) {
  if (words === '') return null;
  const whole = /^"(.+)"$/s.exec(words);
  if (whole !== null) return (name) => name === whole[1];
  const expression = /^\/(.*)\/([imsu]*)$/s.exec(words) || /^\/(.+)$/s.exec(words);
  if (expression !== null) {
    const pattern = new RegExp(expression[1], expression[2]);
    return (name) => pattern.test(name);
  }
  const part = words.toLowerCase();
  return (name) => name.toLowerCase().includes(part);
}
