import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** https://www.rfc-editor.org/rfc/rfc6455#section-1.3 */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const KEY = /^[A-Za-z0-9+/]{22}==$/;
/** A close frame of a server with status 1000, "normal closure" (section 5.5.1). */
const CLOSE_FRAME = Buffer.from([0x88, 0x02, 0x03, 0xe8]);
/** Paths of the jobs that Firecrawl clients watch. */
const WATCHED = /^\/(?:firecrawl\/)?v[12]\/(?:crawl|batch\/scrape)\/[\w-]{1,64}$/;
/** Time limit for the client to close its side. */
const CLOSE_MS = 2_000;

/**
 * Returns true if a request opens a WebSocket to watch a job. This service sends nothing over WebSockets, but a client whose socket is
 * closed normally polls the status instead, whereas any other answer is an error to it.
 */
export function isJobWatch({ method, url, headers }: IncomingMessage): boolean {
  const isBare = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
  return (
    method === 'GET' &&
    isBare &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    KEY.test(headers['sec-websocket-key'] ?? '') &&
    WATCHED.test(url ?? '')
  );
}

/** Completes the WebSocket handshake, then closes the socket normally. */
export function endWebSocket({ headers }: IncomingMessage, socket: Duplex): void {
  const accept = createHash('sha1')
    .update(headers['sec-websocket-key'] + GUID)
    .digest('base64');
  // Clients expect the protocol that they named in the answer; Node rejects line breaks in headers.
  const protocol = headers['sec-websocket-protocol']?.split(',')[0]?.trim();
  const head = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
  ];
  const timer = setTimeout(() => socket.destroy(), CLOSE_MS);
  socket.on('error', () => {});
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), CLOSE_FRAME]));
}
