import { CALL_WAIT_MS_MAX } from '../../contract/limits.ts';
import type { Answer, PricedRoute, Route } from '../calls/call.ts';
import { type RunRouteDeps, runRoute } from '../calls/run-route.ts';
import { arrivalOf } from './arrival.ts';
import { compressBody, mayCompress } from './compress-body.ts';
import type { Received, ServerReply } from './exchange.ts';
import { answerQuickly, type QuickDeps, type QuickOutcome } from './repeats/quick-answer.ts';

/** Idle connections are closed after this; a call that may take longer extends the timeout. */
export const IDLE_CONNECTION_MS = 30_000;

type AnswerDeps = RunRouteDeps & { trustProxy: number };

/** Runs a route for a request and sends its answer. Throws what the route throws. */
export async function answerCall(
  route: Route,
  { request, reply }: Exchange,
  deps: AnswerDeps,
): Promise<Answer> {
  const ms = route.limit.ms + (route.callers === 'payer' ? CALL_WAIT_MS_MAX : 0);
  if (ms >= IDLE_CONNECTION_MS) reply.raw.setTimeout(ms + IDLE_CONNECTION_MS);
  const answer = await runRoute(route, arrivalOf(request, reply, deps), deps);
  await sendAnswer(route, answer, { request, reply });
  return answer;
}

/** The same for a priced call that is likely to be answered from memory; `otherwise` is called where it is not. */
export function answerCallAtOnce(
  route: PricedRoute,
  exchange: Exchange,
  { deps, fail, otherwise }: { deps: QuickDeps & AnswerDeps } & Pick<QuickOutcome, 'fail' | 'otherwise'>,
): void {
  const answer = (made: Answer): void => void sendAnswer(route, made, exchange)?.catch(fail);
  const arrival = arrivalOf(exchange.request, exchange.reply, deps);
  answerQuickly(route, arrival, { deps, outcome: { answer, fail, otherwise } });
}

type Exchange = { request: Received; reply: ServerReply };

/** Sends an answer; returns a promise where it is compressed first. */
function sendAnswer(route: Route, answer: Answer, { request, reply }: Exchange): Promise<void> | undefined {
  request.watched.cache = answer.cache ?? null;
  request.watched.stagesMs = answer.timingsMs ?? null;
  reply.status(answer.status ?? 200);
  if (answer.cache !== undefined) reply.header('X-Cache', answer.cache);
  if (answer.headers !== undefined) reply.headers(answer.headers);
  const body = written(answer, request, reply);
  if (mayCompress(route, answer)) return sendCompressed(body, request, reply);
  reply.send(body);
  return undefined;
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

/** Sends a body compressed if the client accepts that; returns a promise where it does. */
function sendCompressed(
  body: Answer['body'],
  request: Received,
  reply: ServerReply,
): Promise<void> | undefined {
  const isPlain = typeof body === 'string' || body instanceof Uint8Array;
  if (!isPlain) reply.header('Content-Type', JSON_TYPE);
  const plain = isPlain ? body : JSON.stringify(body);
  const vary = reply.getHeader('Vary');
  reply.header('Vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  const accepted = request.headers['accept-encoding'];
  if (accepted !== undefined)
    return compressBody(plain, accepted).then((coded) => {
      if (coded === null) reply.send(plain);
      else {
        request.load.addBytes(coded.body.length);
        reply.header('Content-Encoding', coded.coding).send(coded.body);
      }
    });
  reply.send(plain);
  return undefined;
}
