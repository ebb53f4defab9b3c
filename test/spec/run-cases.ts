import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Answered } from '../harness.ts';
import type { Case, Check, Expectation, Expected } from './spec-case.ts';
import { type Actor, FREE_REQUESTS, openSpecFixture, type SpecFixture } from './spec-fixture.ts';

/** Runs tables against one fixture. */
export function runTables(tables: Readonly<Record<string, readonly Case[]>>): void {
  let fixture: SpecFixture;
  before(async () => {
    fixture = await openSpecFixture();
  });
  after(() => fixture.close());
  for (const [area, cases] of Object.entries(tables)) runCases(area, cases, () => fixture);
}

/** Runs a table against a fixture; `title` names its area. */
export function runCases(title: string, cases: readonly Case[], fixture: () => SpecFixture): void {
  describe(title, () => {
    for (const one of cases) test(`${one.holds} [${one.id}]`, () => runCase(one, fixture()));
  });
}

async function runCase(one: Case, fixture: SpecFixture): Promise<void> {
  const actor = await fixture.actor(one);
  const earlier: Answered[] = [];
  for (const sent of one.before ?? []) earlier.push(await actor.send(sent));
  const answer = await actor.send(one.send);
  const told = `${answer.status} ${answer.text.slice(0, 600)}`;
  const path = fixture.filled(one.send.path, actor);
  assert.equal(answer.status, one.expect.status, told);
  judgeFailure(answer, { expect: one.expect, path, method: one.send.method ?? 'GET' });
  judgeFields(answer, fixture.filled(one.expect, actor));
  one.expect.check?.(answer, earlier, fixture);
  await judgeMoney(answer, { one, actor, path });
}

/** Every failure is a JSON object in the shape of its route. */
function judgeFailure(
  { status, json, text }: Answered,
  { expect, path, method }: { expect: Expectation; path: string; method: string },
): void {
  if (status < 400 || method === 'HEAD' || isPage(path)) return;
  const told = text.slice(0, 600);
  if (isSecondShape(path)) {
    assert.equal(typeof json?.detail?.error, 'string', told);
    const [code = ''] = json.detail.error.split(':');
    if (expect.code !== undefined) assert.equal(code, expect.code, told);
    if (expect.field !== undefined)
      assert.match(
        json.detail.error,
        new RegExp(`^validation_error: ${escaped(expect.field)}\\b.*: ?\\S`),
        told,
      );
    if (expect.message !== undefined) assert.match(json.detail.error, expect.message);
    return;
  }
  assert.equal(typeof json?.error, 'string', told);
  assert.match(json.requestId, /\S/);
  if (expect.code !== undefined) assert.equal(json.error, expect.code, told);
  if (status === 422) {
    const [first] = json.details;
    assert.equal(json.message, `${first.field}: ${first.message}`);
    assert.ok(first.message.length > 0, told);
  }
  if (expect.field !== undefined) {
    const named = json.details.map(({ field }: { field: string }) => field);
    assert.ok(named.includes(expect.field), `${expect.field} is not named in ${told}`);
  }
  if (expect.message !== undefined) assert.match(json.message, expect.message);
}

function judgeFields(answer: Answered, expect: Expectation): void {
  for (const [path, wanted] of Object.entries(expect.is ?? {}))
    for (const value of valuesAt(answer.json, path.split('.'), path)) judge(path, value, wanted);
  for (const [name, wanted] of Object.entries(expect.headers ?? {}))
    judge(name, answer.headers.get(name), wanted);
  if (expect.text !== undefined) assert.match(answer.text, expect.text);
}

function judge(name: string, value: unknown, wanted: Expected): void {
  const shown = JSON.stringify(value)?.slice(0, 400);
  if (wanted instanceof RegExp) assert.ok(wanted.test(String(value)), `${name} is ${shown}, not ${wanted}`);
  else if (isCheck(wanted)) assert.ok(wanted.holds(value), `${name} is ${shown}, not ${wanted.named}`);
  else assert.ok(isDeepStrictEqual(value, wanted), `${name} is ${shown}, not ${JSON.stringify(wanted)}`);
}

const isCheck = (wanted: Expected): wanted is Check =>
  typeof wanted === 'object' && wanted !== null && 'holds' in wanted && 'named' in wanted;

/** The values at a path; `*` stands for every element, of which there must be one. */
function valuesAt(value: unknown, [part, ...rest]: string[], whole: string): unknown[] {
  if (part === undefined) return [value];
  if (part === '*') {
    assert.ok(Array.isArray(value) && value.length > 0, `${whole}: no list, or an empty one`);
    return value.flatMap((item) => valuesAt(item, rest, whole));
  }
  return valuesAt((value as Record<string, unknown> | null | undefined)?.[part], rest, whole);
}

/** Credits are counted, and every answer of a billable route says what is left. */
async function judgeMoney(
  { status, headers }: Answered,
  { one, actor, path }: { one: Case; actor: Actor; path: string },
): Promise<void> {
  const { charged = 0, counted = 1 } = one.expect;
  const left = headers.get('x-credits-remaining');
  const isPreflight = one.send.method === 'OPTIONS';
  const isBilled = isBillable(path) && !isPreflight;
  if (isBilled) assert.match(left ?? '', /^\d+$/, `${status} carries X-Credits-Remaining`);
  if (status === 402 || status === 432) assert.match(headers.get('x-payment-url') ?? '', /^http/);
  const isUnknownKey = status === 401;
  const isTold = one.expect.headers?.['x-credits-remaining'] !== undefined;
  const isCharged = one.as !== 'keyless' && one.as !== 'owner';
  if (isCharged || one.expect.charged !== undefined) {
    const credits = await actor.credits();
    assert.equal(actor.given - credits, charged, 'credits charged');
    if (isBilled && one.as !== 'keyless' && !isUnknownKey && one.expect.counted === undefined && !isTold)
      assert.equal(left, String(credits), 'X-Credits-Remaining');
  }
  if ((one.as === 'keyless' || one.expect.counted !== undefined) && isBilled) {
    const remaining = await actor.freeRequests();
    assert.equal(FREE_REQUESTS - remaining, counted, 'free requests counted');
    if (!isUnknownKey && !isTold) assert.equal(left, String(remaining), 'X-Credits-Remaining');
  }
}

const BILLABLE =
  /^\/+(?:v1\/+(?:search|contents|findSimilar)|search|contents|findSimilar|shapeA\/+(?:search|contents|findSimilar)|shapeB\/+(?:search|extract|crawl|map)|r\/.*)\/?(?:[?]|$)/;
const isBillable = (path: string): boolean => BILLABLE.test(path);
const isSecondShape = (path: string): boolean => /^\/+shapeB(?:\/|$)/.test(path);
/** Written for people. */
const isPage = (path: string): boolean => /^\/(?:buy|success)/.test(path);
const escaped = (text: string): string => text.replace(/[[\]().*+?^$|\\]/g, '\\$&');
