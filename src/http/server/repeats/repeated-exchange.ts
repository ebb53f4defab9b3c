import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { newRequestId } from '../../../platform/ids.ts';
import type { MakeOnce, Route } from '../../calls/call.ts';
import { JSON_TYPE } from '../answer-call.ts';
import type { WholeTurn } from '../connections.ts';
import type { Received, ServerReply, Watched } from '../exchange.ts';
import type { RequestLoad } from '../load/load.ts';

// An import would load all that the module exports; see connections.ts.
const { STATUS_CODES, validateHeaderValue } = process.getBuiltinModule('node:http');

/** What a request says, as the parser, the framework and the steps before its route have read it. */
export type Said = Pick<Received, 'method' | 'url' | 'originalUrl' | 'params' | 'body' | 'routeOptions'> & {
  headers: IncomingHttpHeaders;
  route: Route;
  once: MakeOnce;
};

/** A request without a key has the same bytes from any address, and something is made for each of them. */
const MADE_MAX = 16;

/** Keeps what is made of one request's bytes. */
export function createOnce(): MakeOnce {
  const kept = new Map<string, unknown>();
  return <Made>(name: string, make: () => Made): Made => {
    // Each name has one maker.
    if (kept.has(name)) return kept.get(name) as Made;
    if (kept.size >= MADE_MAX) kept.clear();
    const made = make();
    kept.set(name, made);
    return made;
  };
}

/** Whether the meaning of a request lies in its bytes alone and its connection stays open. */
export function isPlain({ httpVersion, headers }: IncomingMessage): boolean {
  const { connection = 'keep-alive', expect, upgrade } = headers;
  const isKept = httpVersion === '1.1' && /^keep-alive$/i.test(connection);
  return isKept && expect === undefined && upgrade === undefined;
}

/** A request whose bytes came before. */
export class RepeatedRequest implements Received {
  readonly id = newRequestId();
  readonly method: string;
  readonly url: string;
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: unknown;
  readonly body: unknown;
  readonly is404 = false;
  readonly socket: WholeTurn['socket'];
  readonly routeOptions: Received['routeOptions'];
  readonly once: MakeOnce;
  // The first steps set both.
  declare watched: Watched;
  declare load: RequestLoad;

  constructor(said: Said, socket: WholeTurn['socket']) {
    this.method = said.method;
    this.url = said.url;
    this.originalUrl = said.originalUrl;
    this.headers = said.headers;
    this.params = said.params;
    this.body = said.body;
    this.socket = socket;
    this.routeOptions = said.routeOptions;
    this.once = said.once;
  }
}

type Sending = {
  turn: WholeTurn;
  /** Seconds for which an idle connection is kept open. */
  keepAliveSeconds: number;
  /** The steps between an answer and its bytes. */
  beforeSend(reply: ServerReply, payload: unknown): void;
  /** Called once: with the status when the response has left, with null if the connection closed first. */
  onEnd(status: number | null): void;
};

/** The response to a request that the framework does not see; its bytes are those that the framework would send. */
export class RepeatedReply implements ServerReply {
  readonly raw: ServerReply['raw'];
  readonly #sending: Sending;
  readonly #headers: Record<string, string> = {};
  readonly #idleMs: number;
  #status = 200;
  #headersSent = false;
  #hasEnded = false;
  #statusMessage = '';

  constructor(sending: Sending) {
    this.#sending = sending;
    this.#idleMs = sending.turn.socket.timeout ?? 0;
    this.raw = this.#rawOf(sending.turn.socket);
    sending.turn.onClose = () => this.#end(null);
  }

  header(name: string, value: string): ServerReply {
    this.#headers[name.toLowerCase()] = value;
    return this;
  }

  headers(values: Record<string, string>): ServerReply {
    for (const name of Object.keys(values)) this.header(name, values[name] ?? '');
    return this;
  }

  hasHeader(name: string): boolean {
    return this.getHeader(name) !== undefined;
  }

  getHeader(name: string): string | undefined {
    return this.#headers[name.toLowerCase()];
  }

  status(code: number): ServerReply {
    this.#status = code;
    return this;
  }

  hijack(): void {
    this.#headersSent = true;
  }

  send(payload: unknown): ServerReply {
    if (this.#headersSent || this.#hasEnded) return this;
    const body = this.#written(payload);
    this.#sending.beforeSend(this, body);
    this.header('Content-Length', String(Buffer.byteLength(body)));
    const { turn } = this.#sending;
    const isLast = this.#headers.connection !== undefined;
    const head = this.#head(isLast);
    this.#headersSent = true;
    turn.respond(head, body, (hasLeft) => {
      this.#end(hasLeft ? this.#status : null);
      if (isLast) turn.socket.destroySoon();
    });
    return this;
  }

  #rawOf(socket: WholeTurn['socket']): ServerReply['raw'] {
    const reply = this;
    return {
      get headersSent() {
        return reply.#headersSent;
      },
      get statusMessage() {
        return reply.#statusMessage;
      },
      set statusMessage(text) {
        reply.#statusMessage = text;
      },
      socket,
      // The time of an idle connection, which holds already, is longer than that of most calls.
      setTimeout: (ms) => ms > this.#idleMs && socket.setTimeout(ms),
      destroy: () => socket.destroy(),
    };
  }

  #end(status: number | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { socket } = this.#sending.turn;
    if (socket.timeout !== this.#idleMs) socket.setTimeout(this.#idleMs);
    this.#sending.onEnd(status);
  }

  #written(payload: unknown): string | Uint8Array {
    if (typeof payload === 'string' || payload instanceof Uint8Array) return payload;
    if (!this.hasHeader('Content-Type')) this.header('Content-Type', JSON_TYPE);
    return JSON.stringify(payload);
  }

  #head(isLast: boolean): string {
    const status = this.#status;
    let head = `HTTP/1.1 ${status} ${this.#statusMessage || STATUS_CODES[status]}\r\n`;
    for (const name in this.#headers) {
      const value = this.#headers[name] ?? '';
      validateHeaderValue(name, value);
      head += `${name}: ${value}\r\n`;
    }
    head += `Date: ${httpDate()}\r\n`;
    return isLast
      ? `${head}\r\n`
      : `${head}Connection: keep-alive\r\nKeep-Alive: timeout=${this.#sending.keepAliveSeconds}\r\n\r\n`;
  }
}

let dated = { second: 0, text: '' };

/** The time as HTTP writes it, which changes once a second. */
function httpDate(): string {
  const now = Date.now();
  const second = Math.floor(now / 1_000);
  if (second !== dated.second) dated = { second, text: new Date(now).toUTCString() };
  return dated.text;
}
