// Texts for values, shares and boxes, and the hash of a name that decides its shade.

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

// For places that show the unit elsewhere: a plain number of counts.
function shortAmount(value, unit) {
  return scales[unit] === undefined ? count(value) : amount(value, unit);
}

// "12.3 %". A share above 0 never reads as 0: "<0.01 %".
function percent(share) {
  if (share > 0 && share < 0.0001) return '<0.01 %';
  return `${(share * 100).toFixed(share < 0.1 && share > 0 ? 2 : 1)} %`;
}

// "+1.2 points", or "the same".
function points(difference) {
  if (Math.abs(difference) < 0.00005) return 'the same';
  const text = Math.abs(difference * 100).toFixed(Math.abs(difference) < 0.1 ? 2 : 1);
  return `${difference < 0 ? '−' : '+'}${text} points`;
}

function place({file, line}) {
  return line === 0 ? file : `${file}:${line}`;
}

// The stack of a box as a folded line. ':' replaces ';' in names, because ';' separates frames.
function foldedLine(tree, box) {
  const line = tree.lineOf(box);
  const frames = line.filter((at) => tree.isFrame(at));
  if (tree.inverted) frames.reverse();
  const groups = line.filter((at) => tree.isGroup(at)).map((at) => tree.groupOf(at).name);
  const names = [...groups, ...frames.map((at) => tree.nameOf(at))];
  return `${(names.length === 0 ? ['all'] : names).map((name) => name.replaceAll(';', ':')).join(';')} ${tree.total[box]}`;
}

const kindWords = kindTable.map(({word}) => word);
// The word for tags depends on what was measured: "system call".
function nameTags(run) {
  kindWords[kinds.tag] = run.tag || 'state';
}

// FNV-1a over the UTF-8 bytes, the same as in the pictures.
const encoder = new TextEncoder();
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

const shortKeyOf = (text) => hashOf(text).toString(36);

// The search words that match exactly this name.
const exactly = (name) => `"${name}"`;

// Returns a function that matches names, or null for an empty search. "…" is a whole name, /…/ a regular expression,
// anything else a part of a name. Throws SyntaxError for an invalid regular expression.
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
