import { CALL_WAIT_MS_MAX } from '../../contract/limits.ts';
import type { Answer, Route } from '../calls/call.ts';
import { type RunRouteDeps, runRoute } from '../calls/run-route.ts';
import { arrivalOf } from './arrival.ts';
import { compressBody, mayCompress } from './compress-body.ts';
import type { Received, ServerReply } from './exchange.ts';

/** Idle connections are closed after this; a call that may take longer extends the timeout. */
export const IDLE_CONNECTION_MS = 30_000;

type AnswerDeps = RunRouteDeps & { trustProxy: number };

/** Runs a route for a request and sends its answer. Throws what the route throws. */
export async function answerCall(
  route: Route,
  { request, reply }: { request: Received; reply: ServerReply },
  deps: AnswerDeps,
): Promise<Answer> {
  const ms = route.limit.ms + (route.callers === 'payer' ? CALL_WAIT_MS_MAX : 0);
  if (ms >= IDLE_CONNECTION_MS) reply.raw.setTimeout(ms + IDLE_CONNECTION_MS);
  const answer = await runRoute(route, arrivalOf(request, reply, deps), deps);
  request.watched.cache = answer.cache ?? null;
  request.watched.stagesMs = answer.timingsMs ?? null;
  reply.status(answer.status ?? 200);
  if (answer.cache !== undefined) reply.header('X-Cache', answer.cache);
  if (answer.headers !== undefined) reply.headers(answer.headers);
  const body = written(answer, request, reply);
  if (mayCompress(route, answer)) await sendCompressed(body, request, reply);
  else reply.send(body);
  return answer;
}

/** The body, or its bytes where parts of them have been written before. */
function written({ body, write }: Answer, request: Received, reply: ServerReply): Answer['body'] {
  if (write === undefined) return body;
  const bytes = write();
  reply.header('Content-Type', JSON_TYPE);
  // Unlike bytes that are shared, these are held for this response alone.
  request.load.addBytes(bytes.length);
  return bytes;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends a body compressed if the client accepts that. */
async function sendCompressed(body: Answer['body'], request: Received, reply: ServerReply): Promise<void> {
  const isPlain = typeof body === 'string' || body instanceof Uint8Array;
  if (!isPlain) reply.header('Content-Type', JSON_TYPE);
  const plain = isPlain ? body : JSON.stringify(body);
  const vary = reply.getHeader('Vary');
  reply.header('Vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  const accepted = request.headers['accept-encoding'];
  const coded = accepted === undefined ? null : await compressBody(plain, accepted);
  if (coded === null) {
    reply.send(plain);
    return;
  }
  request.load.addBytes(coded.body.length);
  reply.header('Content-Encoding', coded.coding).send(coded.body);
}
