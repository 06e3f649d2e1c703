// Pages with known data: the page's text from the build, and tables made from stacks.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');

// The texts in the header that scripts/embed-page.cmake makes.
function pageText() {
  const header = fs.readFileSync(path.join(process.env.BUILD_DIR, 'page', 'output', 'page_text.h'), 'utf8');
  const texts = {};
  for (const [, name, text] of header.matchAll(/string_view (\w+) = R"page\((.*?)\)page";/gs)) texts[name] = text;
  return texts;
}

function pageOf(data, connect = "'none'") {
  return pageWith(JSON.stringify(data).replaceAll('<', '\\u003c'), connect);
}
// The form in which the profiler writes large data.
function packedPageOf(data) {
  return pageWith(JSON.stringify(['gzip', zlib.gzipSync(JSON.stringify(data), {level: 1}).toString('base64')]), "'none'");
}
function pageWith(text, connect) {
  const {before_connect, before_data, after_data} = pageText();
  return before_connect + connect + before_data + text + after_data;
}

const kinds = {user: 0, kernel: 1, inlined: 2, jit: 3, unnamed: 4, tag: 5};

// Imitates the profiler's FlameTable: gives out numbers, and returns what is new since the last call.
class Tables {
  constructor() {
    this.strings = this.column();
    this.frames = this.column();
    this.owners = this.column();
    this.nodes = this.column();
    this.frameOf = new Map();  // by the test's value, so that each frame is sent only once
    this.string('');
  }
  column() {
    return {rows: [], ids: new Map(), told: 0};
  }
  intern(column, row) {
    const key = typeof row === 'string' ? row : Object.values(row).join(' ');
    if (!column.ids.has(key)) {
      column.ids.set(key, column.rows.length);
      column.rows.push(row);
    }
    return column.ids.get(key);
  }
  string(text) {
    return this.intern(this.strings, text);
  }
  // A frame is "main", or {name, module, file, line, kind}.
  frame(given) {
    const known = this.frameOf.get(given);
    if (known !== undefined) return known;
    const {name, module = '', file = '', line = 0, kind = 'user'} = typeof given === 'string' ? {name: given} : given;
    const id = this.intern(this.frames, {
      name: this.string(name), module: this.string(module), file: this.string(file), line, kind: kinds[kind],
    });
    this.frameOf.set(given, id);
    return id;
  }
  owner({process, pid, thread = process, tid = 0, cpu = -1}) {
    return this.intern(this.owners, {process: this.string(process), pid, thread: this.string(thread), tid, cpu});
  }
  node(stack) {
    let node = -1;
    for (const frame of stack) node = this.intern(this.nodes, {parent: node, frame: this.frame(frame)});
    return node;
  }
  // `rows` are [owner, stack from the root, value].
  cells(rows) {
    const sums = new Map();
    for (const [owner, stack, value] of rows) {
      const cell = `${this.owner(owner)} ${this.node(stack)}`;
      sums.set(cell, (sums.get(cell) || 0) + value);
    }
    const cells = {owner: [], node: [], value: []};
    for (const [cell, value] of sums) {
      const [owner, node] = cell.split(' ').map(Number);
      cells.owner.push(owner);
      cells.node.push(node);
      cells.value.push(value);
    }
    return cells;
  }
  // The rows that the client does not have yet; all rows for a new client.
  rows(fromStart) {
    const since = (column) => {
      const rows = column.rows.slice(fromStart ? 0 : column.told);
      if (!fromStart) column.told = column.rows.length;
      return rows;
    };
    const columns = (column, names) => {
      const rows = since(column);
      return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]));
    };
    return {
      strings: since(this.strings),
      frames: columns(this.frames, ['name', 'module', 'file', 'line', 'kind']),
      owners: columns(this.owners, ['process', 'pid', 'thread', 'tid', 'cpu']),
      nodes: columns(this.nodes, ['parent', 'frame']),
    };
  }
}

const run = {
  title: 'Sampling at 49 Hertz of all threads by user + kernel stack for 5 secs.', event: 'cpu-clock', unit: 'samples',
  counted: 'samples', tag: 'state', command_line: "profile -o 'a file.html' 5", began_unix_ms: 1_700_000_000_000, duration_s: 5,
};

const names = ['96.8 % of 1000 frames have a function name; 32 no symbol in their file'];

function accountOf(recorded) {
  return {taken: recorded + 30, recorded, idle: 20, filtered: 7, lost: 3};
}

function totalOf(rows) {
  return rows.reduce((sum, [, , value]) => sum + value, 0);
}

// The data of a file. `before` has the rows of a profile to compare with.
function fileData(rows, before) {
  const tables = new Tables();
  const cells = tables.cells(rows);
  const data = {version: 1, run, account: accountOf(totalOf(rows)), names, tables: [], cells};
  if (before) data.before = {run, names: [], account: accountOf(totalOf(before)), cells: tables.cells(before)};
  return {...data, ...tables.rows(true)};
}

// A page with the times of its samples: [ticks, owner, stack, value], in the order of time.
function timedPageOf(samples, {tickUs = 1000, to, unit = 'samples', from = 0} = {}) {
  // A million samples have few stacks, so each is looked up once.
  const rows = [];
  const seen = new Map();  // by stack, then by owner: the number of the row
  const rowOf = samples.map(([, owner, stack, value]) => {
    if (!seen.has(stack)) seen.set(stack, new Map());
    const ofStack = seen.get(stack);
    if (!ofStack.has(owner)) ofStack.set(owner, rows.push([owner, stack, 0]) - 1);
    rows[ofStack.get(owner)][2] += value;
    return ofStack.get(owner);
  });
  const tables = new Tables();
  const cells = tables.cells(rows);
  const ids = new Map(cells.owner.map((owner, i) => [`${owner} ${cells.node[i]}`, i]));
  const cellOf = rows.map(([owner, stack]) => ids.get(`${tables.owner(owner)} ${tables.node(stack)}`));
  const numbers = [];
  let last = 0;
  for (const [time] of samples) {
    numbers.push(time - last);
    last = time;
  }
  for (const row of rowOf) numbers.push(cellOf[row]);
  for (const [, , , value] of samples) numbers.push(value);
  const bytes = new Uint8Array(numbers.length * 8);
  let length = 0;
  for (let number of numbers) {
    for (; number > 127; number = Math.floor(number / 128)) bytes[length++] = (number % 128) + 128;
    bytes[length++] = number;
  }
  const data = {
    version: 1, run: {...run, unit}, account: accountOf(totalOf(rows)), names, tables: [], cells, ...tables.rows(true),
    times: {tick_us: tickUs, from, to: to === undefined ? last + 1 : to, samples: samples.length},
  };
  const letters = zlib.gzipSync(bytes.subarray(0, length), {level: 1}).toString('base64');
  const text = JSON.stringify(data).replaceAll('<', '\\u003c');
  return pageWith(`${text}</script>\n<script type="text/plain" id="samples">${letters}`, "'none'");
}

module.exports = {timedPageOf, pageOf, packedPageOf, fileData, Tables, run, names, accountOf, totalOf};
