import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../../contract/errors.ts';
import {
  ARRIVING_BYTES_MAX,
  IN_FLIGHT_BYTES_MAX,
  IN_FLIGHT_MAX,
  SMALL_BODY_BYTES,
} from '../../../contract/limits.ts';
import { createLoad, type Load } from './load.ts';

const createCalmLoad = (): Load => createLoad({ enter: () => () => {}, hasPlace: () => true });
const isOverloaded = (error: unknown): boolean => error instanceof Failure && error.code === 'overloaded';

test('refuses requests while the bytes in flight are at their limit', () => {
  const load = createCalmLoad();
  const [small, large] = [load.begin(), load.begin()];
  small.addBytes(1);
  large.addBytes(IN_FLIGHT_BYTES_MAX - 2);
  load.assertRoom('one');
  large.addBytes(1);
  assert.throws(() => load.assertRoom('one'), isOverloaded);
  small.end();
  load.assertRoom('one');
  large.end();
  large.end();
  small.addBytes(IN_FLIGHT_BYTES_MAX - 1);
  load.assertRoom('one');
});

test('refuses requests while the running calls are at their limit', () => {
  const load = createCalmLoad();
  const requests = Array.from({ length: IN_FLIGHT_MAX }, () => load.begin());
  load.assertRoom('one');
  for (const request of requests) request.startCall();
  assert.throws(() => load.assertRoom('one'), isOverloaded);
  requests[0]?.endCall();
  load.assertRoom('one');
  requests[0]?.end();
  requests[1]?.startCall();
  load.assertRoom('one');
});

test('large arriving bodies leave room for small ones and for calls', () => {
  const load = createCalmLoad();
  const [large, small, next] = [load.begin(), load.begin(), load.begin()];
  large.addArriving(ARRIVING_BYTES_MAX);
  small.addArriving(SMALL_BODY_BYTES);
  assert.throws(() => next.addArriving(SMALL_BODY_BYTES + 1), isOverloaded);
  load.assertRoom('one');
  large.startCall();
  next.addArriving(SMALL_BODY_BYTES + 1);
  assert.throws(() => small.addArriving(ARRIVING_BYTES_MAX), isOverloaded);
});

test('only the caller whose requests hold half of the room is refused', () => {
  const load = createCalmLoad();
  const body = IN_FLIGHT_BYTES_MAX / 8;
  const arrive = (bytes: number) => {
    const request = load.begin();
    request.addBytes(bytes);
    return request;
  };
  const flood = Array.from({ length: 4 }, () => {
    const request = arrive(body);
    request.assignTo('flood');
    return request;
  });
  assert.throws(() => arrive(1).assignTo('flood'), isOverloaded);
  arrive(1).assignTo('other');
  load.assertRoom('one');
  flood[0]?.end();
  flood[0]?.end();
  arrive(1).assignTo('flood');
});

test('a request counts towards its caller once, however often it is assigned, and includes its response', () => {
  const load = createCalmLoad();
  const request = load.begin();
  request.addBytes(IN_FLIGHT_BYTES_MAX / 2);
  for (let times = 0; times < 3; times++) request.assignTo('key a');
  request.addBytes(1);
  assert.throws(() => request.assignTo('key a'), isOverloaded);
  request.end();
  request.assignTo('key a');
});
