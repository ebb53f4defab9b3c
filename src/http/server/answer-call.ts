import type { FastifyReply, FastifyRequest } from 'fastify';
import { CALL_WAIT_MS_MAX } from '../../contract/limits.ts';
import type { Answer, Route } from '../calls/call.ts';
import { INCOMPLETE_HEADER } from '../calls/incomplete.ts';
import { type RunRouteDeps, runRoute } from '../calls/run-route.ts';
import { buildArrival } from './arrival.ts';
import { compressBody, mayCompress } from './compress-body.ts';

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
  const answer = await runRoute(route, buildArrival(request, reply, deps), deps);
  await sendAnswer(route, answer, { request, reply });
  return answer;
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Sends an answer; returns a promise if it is compressed first. */
function sendAnswer(route: Route, answer: Answer, { request, reply }: Exchange): Promise<void> | undefined {
  request.watched.cache = answer.cache ?? null;
  request.watched.stagesMs = answer.timingsMs ?? null;
  reply.status(answer.status ?? 200);
  if (answer.cache !== undefined) reply.header('X-Cache', answer.cache);
  const { incomplete = [] } = answer;
  if (incomplete.length > 0) reply.header(INCOMPLETE_HEADER, incomplete.join(', '));
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (mayCompress(route, answer)) return sendCompressed(answer.body, request, reply);
  reply.send(answer.body);
  return undefined;
}

/** Sends a body, compressed if the client accepts that; returns a promise in that case. */
function sendCompressed(
  body: Answer['body'],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> | undefined {
  const isPlain = typeof body === 'string' || body instanceof Uint8Array;
  if (!isPlain) reply.header('Content-Type', 'application/json; charset=utf-8');
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
