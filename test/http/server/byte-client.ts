import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** Counts the requests that Node's parser reads while `work` runs. */
export async function parsed<T>(work: () => Promise<T>): Promise<{ value: T; count: number }> {
  let count = 0;
  const note = (): void => {
    count += 1;
  };
  subscribe('http.server.request.start', note);
  try {
    return { value: await work(), count };
  } finally {
    unsubscribe('http.server.request.start', note);
  }
}

type Client = {
  send(bytes: string): Promise<string>;
  write(bytes: string): void;
  next(isHead?: boolean): Promise<string>;
  socket: Socket;
};

/** A connection on which one response is read after the other, byte for byte. */
export async function open(t: TestContext, address: string): Promise<Client> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).setEncoding('latin1').setNoDelay(true);
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  let got = '';
  let wake = (): void => {};
  let isClosed = false;
  socket.on('data', (text: string) => {
    got += text;
    wake();
  });
  socket.on('close', () => {
    isClosed = true;
    wake();
  });
  const next = async (isHead = false): Promise<string> => {
    for (;;) {
      const head = got.indexOf('\r\n\r\n');
      const length = isHead ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(got.slice(0, head))?.[1] ?? 0);
      const end = head + 4 + length;
      if (head !== -1 && got.length >= end) {
        const response = got.slice(0, end);
        got = got.slice(end);
        return response;
      }
      assert.ok(!isClosed, 'the connection was closed');
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const write = (bytes: string): void => void socket.write(bytes, 'latin1');
  return {
    socket,
    next,
    write,
    send(bytes) {
      write(bytes);
      return next(bytes.startsWith('HEAD '));
    },
  };
}

/** What differs from call to call, made equal. */
export const settled = (response: string): string =>
  response
    .replace(/(\r\nx-request-id: )req_[0-9a-f]{24}/, '$1')
    .replace(/(\r\nDate: )[^\r]+/, '$1')
    .replace(/(\r\nx-credits-remaining: )\d+/, '$1')
    .replace(/"(requestId|request_id)":"req_[0-9a-f]{24}"/g, '"$1":""')
    .replace(/"response_time":[\d.]+/g, '"response_time":0')
    .replace(/(\r\ncontent-length: )\d+(?=[\s\S]*"(?:timingsMs|response_time)")/, '$1')
    .replace(/"(searchTimeMs|searchTime|total)":\d+/g, '"$1":0');

/** The bytes of a call with a key. */
export const post = (path: string, key: string, body: unknown, headers = ''): string => {
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
};
export const get = (path: string, key: string, headers = '', method = 'GET'): string =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n`;
/** A request that needs no key. */
export const PROBE = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
