import type { Socket } from 'node:net';
import { createRequestId } from '../../platform/ids.ts';

type BrokenRequest = { status: string; code: string; message: string };

const BROKEN: Record<string, BrokenRequest> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'headers_too_large',
    message: 'The address or the headers are too long.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'request_timeout',
    message: 'The request did not arrive in time.',
  },
};
const NOT_HTTP: BrokenRequest = {
  status: '400 Bad Request',
  code: 'bad_request',
  message: 'This is not a valid HTTP request.',
};

type ClientError = Error & { code?: string; rawPacket?: unknown };

/**
 * Responds to requests that the HTTP parser rejected, with JSON like every other error: in the second shape's format if the start of the
 * request shows its path, else in the first shape's.
 */
export function answerBrokenRequest(error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, message } = BROKEN[error.code ?? ''] ?? NOT_HTTP;
  const requestId = createRequestId();
  const start = error.rawPacket instanceof Buffer ? error.rawPacket.subarray(0, 64).toString('latin1') : '';
  const second = /^[A-Z]+ \/+shapeB[/? ]/.test(start);
  const body = JSON.stringify(second ? { detail: { error: code } } : { error: code, message, requestId });
  // If a response has already been partly sent on this connection, it can only be closed.
  if (socket.bytesWritten > 0 && isAnswerUnderWay(socket)) {
    socket.destroy();
    return;
  }
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/** Node keeps a connection's current response in a socket property that is missing from its types. */
function isAnswerUnderWay(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null };
  return answer?.headersSent === true;
}
