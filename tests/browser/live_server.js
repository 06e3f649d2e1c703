// Replaces the profiler's live server: the same page and events, sent when a test asks for them.
'use strict';

const http = require('node:http');
const {pageOf, Tables, run, names, accountOf, totalOf} = require('./pages.js');

class LiveServer {
  constructor() {
    this.clients = new Set();
    this.tableVersion = 1;
    this.run = run;
    this.answers = true;  // false: the server does not know events
    this.isGone = false;  // true: no server is there
    this.recording = undefined;  // where the page can save a recording
    this.clear();
    this.t = 1_700_000_000_000;  // never decreases, as in the profiler
    this.connections = 0;
    this.server = http.createServer((request, response) => this.answer(request, response));
  }
  async listen() {
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.server.address().port}/`;
    return this;
  }
  clear() {
    this.tables = new Tables();
    this.all = [];
    this.ticks = [];
  }
  answer(request, response) {
    if (this.isGone) return request.socket.destroy();
    if (request.url === '/') {
      const page = pageOf({version: 1, live: {events: '/events', recording: this.recording}, run}, "'self'");
      const [, policy] = page.match(/http-equiv="Content-Security-Policy" content="([^"]*)"/);
      response.writeHead(200, {'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy});
      return response.end(page);
    }
    if (request.url.startsWith('/recording?')) {
      response.writeHead(200, {'Content-Disposition': 'attachment; filename="profile.db"'});
      return response.end(request.url);
    }
    if (request.url !== '/events' || !this.answers) return response.writeHead(404).end();
    ++this.connections;
    response.writeHead(200, {'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store'});
    response.write('retry: 100\n\n');
    this.clients.add(response);
    response.on('close', () => this.clients.delete(response));
    this.send('hello', this.hello(), [response]);
  }
  send(event, data, to = this.clients) {
    for (const response of to) response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }
  hello() {
    const total = this.tables.cells(this.all);
    const ticks = this.ticks.map(({t, rows}) => ({t, d: 1, cells: this.tables.cells(rows)}));
    this.tables.rows(false);  // marks everything as sent
    return {
      table_version: this.tableVersion, now_unix_ms: this.t, tick_s: 1, window_s: 300, run: this.run,
      account: accountOf(totalOf(this.all)), names, ...this.tables.rows(true), total, ticks,
    };
  }
  // Sends the samples of the next `seconds`.
  tick(rows, seconds = 1) {
    this.t += seconds * 1000;
    this.all.push(...rows);
    this.ticks.push({t: this.t, rows});
    this.ticks = this.ticks.filter(({t}) => t > this.t - 300_000);
    const cells = this.tables.cells(rows);
    const account = accountOf(totalOf(this.all));
    const rest = {account, names, ...this.tables.rows(false), cells};
    this.send('tick', {table_version: this.tableVersion, t: this.t, d: seconds, ...rest});
  }
  // Starts a new numbering, with `rows` as all samples so far.
  reset(rows = []) {
    ++this.tableVersion;
    this.clear();
    this.tables.string('another numbering');
    this.all = rows;
    this.send('reset', this.hello());
  }
  // Another profiler starts, without samples so far.
  begin(another) {
    ++this.tableVersion;
    this.clear();
    Object.assign(this, {run: another, answers: true});
  }
  end() {
    this.send('end', {});
    for (const response of this.clients) response.end();
  }
  // Stays away until accept(), however long the page takes to notice.
  drop() {
    this.isGone = true;
    for (const response of this.clients) response.destroy();
  }
  accept() {
    this.isGone = false;
  }
  close() {
    this.drop();
    this.server.close();
  }
}

module.exports = {LiveServer};
