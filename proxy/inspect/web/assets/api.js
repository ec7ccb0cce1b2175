// Calls of the API below the base of the page. The token goes into a header of each, and never into
// an address.

import { forgetToken, token } from './token.js';

const base = document.querySelector('meta[name="paytape-base"]').content;

/** An answer that is not 2xx, or none (status 0). */
export class APIError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const api = {
  /** Path of the page and of the API: "/" or "/inspect/". */
  base,

  /** Asks for JSON: api.get('exchanges', {q: 'is:miss', n: 40}). Empty params are left out. */
  async get(path, params, options) {
    return (await call('GET', path, params, options)).json();
  },

  /** Asks for a text, such as an archive. */
  async text(path, params, options) {
    return (await call('GET', path, params, options)).text();
  },

  /** Changes something: api.post('rules/decline/arm', {times: 2}). */
  async post(path, params, options) {
    return (await call('POST', path, params, options)).json();
  },

  /**
   * Follows events until the function that it returns is called. onEvent gets {event, data, id}:
   * those of the server, and {event: 'state', data: {state, error}} where the state is "live",
   * "retry" (the connection broke) or "refused" (the token is not this deck's).
   */
  events(path, params, onEvent) {
    const stream = new Stream(path, params ?? {}, onEvent);
    stream.run();
    return () => stream.stop();
  },
};

async function call(method, path, params, { signal } = {}) {
  const address = new URL(`${base}api/${path}`, location.origin);
  for (const [name, value] of Object.entries(params ?? {})) {
    if (value !== '' && value !== null && value !== undefined)
      address.searchParams.set(name, value);
  }
  const sent = token();
  let answer;
  try {
    answer = await fetch(address, {
      method,
      signal,
      cache: 'no-store',
      headers: { Authorization: `Bearer ${sent}` },
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new APIError(0, 'the deck does not answer');
  }
  if (answer.ok) return answer;
  const failure = await answer.json().catch(() => ({}));
  if (answer.status === 401) forgetToken(sent);
  throw new APIError(answer.status, failure.error ?? `the deck answered ${answer.status}`);
}

// A stream of events that connects again when it breaks, after 0.5 s, 1 s, 2 s ... 8 s, and goes on
// behind the last event that it got.
class Stream {
  constructor(path, params, onEvent) {
    this.path = path;
    this.params = params;
    this.onEvent = onEvent;
    this.aborter = new AbortController();
    this.failures = 0;
  }

  stop() {
    this.aborter.abort();
  }

  async run() {
    while (!this.aborter.signal.aborted) {
      try {
        await this.read();
        this.tell('retry', 'the stream has ended');
      } catch (error) {
        if (this.aborter.signal.aborted) return;
        if (error.status === 401) return this.tell('refused', error.message);
        this.tell('retry', error.message);
      }
      const pause = 500 * 2 ** Math.min(this.failures++, 4);
      await new Promise((resolve) => {
        setTimeout(resolve, pause);
      });
    }
  }

  async read() {
    const answer = await call('GET', this.path, this.params, { signal: this.aborter.signal });
    this.failures = 0;
    this.tell('live');
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const lines = new EventLines((event) => {
      if (event.id) this.params = { ...this.params, after: event.id };
      this.onEvent(event);
    });
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      lines.add(value);
    }
  }

  tell(state, error) {
    this.onEvent({ event: 'state', data: { state, error } });
  }
}

// Lines of text/event-stream, with events of JSON.
class EventLines {
  constructor(onEvent) {
    this.onEvent = onEvent;
    this.rest = '';
    this.clear();
  }

  clear() {
    this.event = 'message';
    this.id = '';
    this.data = [];
  }

  add(text) {
    const lines = (this.rest + text).split(/\r?\n/);
    this.rest = lines.pop();
    for (const line of lines) this.line(line);
  }

  line(line) {
    if (line === '') {
      if (this.data.length) {
        this.onEvent({ event: this.event, id: this.id, data: JSON.parse(this.data.join('\n')) });
      }
      this.clear();
      return;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.event = value;
    if (name === 'id') this.id = value;
    if (name === 'data') this.data.push(value);
  }
}
