import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callTool, type ToolAnswer, type ToolDeps } from './call-tool.ts';
import { PART_FIELDS, type Tool } from './tool.ts';

/** Distinct words, so that every place of a text differs from every other. */
const words = (mark: string): string =>
  Array.from({ length: 1_500 }, (_, place) => `${mark}${place}`).join(' ');

const TOOL: Tool = {
  name: 'search',
  description: '',
  fields: { query: { kind: 'text', required: true }, ...PART_FIELDS },
  annotations: {},
  call: () => ({ method: 'POST', path: '/v1/search' }),
  write: (body) => ({ text: String(body) }),
};

/** A server that gives one answer; with `forgets` it keeps nothing, as another process or a later hour would. */
function server(text: string, { forgets = false } = {}) {
  const kept = new Map<string, string>();
  const route = { text, runs: 0 };
  const deps: ToolDeps = {
    kept: {
      get: (digest) => kept.get(digest),
      set: (digest, whole) => {
        if (!forgets) kept.set(digest, String(whole));
        return kept as never;
      },
    },
    async run() {
      route.runs += 1;
      return { body: route.text };
    },
    word: ({ message }) => message,
  };
  const call = (more: object = {}, tool = TOOL): Promise<ToolAnswer> =>
    callTool(tool, { query: 'q', max_tokens: 1_000, ...more }, deps);
  return { route, call };
}

const cursorOf = ({ text }: ToolAnswer): string => /cursor "([^"]+)"/.exec(text)?.[1] ?? assert.fail(text);
/** An answer without the words about its cursor. */
const bare = ({ text }: ToolAnswer): string => text.replace(/\n\n\[\d+ % shown.*\]$/s, '');

/** All deps from a first one on. */
async function toTheEnd(first: ToolAnswer, call: (more: object) => Promise<ToolAnswer>): Promise<string> {
  let whole = bare(first);
  for (let part = first; part.text.includes('cursor "'); ) {
    part = await call({ cursor: cursorOf(part) });
    whole += bare(part);
  }
  return whole;
}

describe('the rest of an answer', () => {
  test('is kept: its rest is free of further calls', async () => {
    const { route, call } = server(words('a'));
    assert.equal(await toTheEnd(await call(), call), words('a'));
    assert.equal(route.runs, 1);
  });

  test('has expired and the answer is the same: it continues where it stopped', async () => {
    const { route, call } = server(words('a'), { forgets: true });
    assert.equal(await toTheEnd(await call(), call), words('a'));
    assert.ok(route.runs > 1);
  });

  test('is not kept and the answer has changed: it begins anew and says so', async () => {
    const { route, call } = server(words('a'), { forgets: true });
    const cursor = cursorOf(await call());
    route.text = words('b');
    const answer = await call({ cursor });
    assert.match(
      answer.text,
      /^\(The answer has changed since it was cut; this is its new beginning\.\)\n\nb0 b1 /,
    );
  });

  test('a changed answer has cursors of its own', async () => {
    const { route, call } = server(words('a'));
    const cursor = cursorOf(await server(words('c')).call());
    route.text = words('b');
    const whole = await toTheEnd(await call({ cursor }), call);
    assert.equal(whole.slice(whole.indexOf('b0')), words('b'));
    assert.equal(route.runs, 1);
  });

  test('of a long call is not kept: the call is not run again unasked', async () => {
    const { route, call } = server(words('a'), { forgets: true });
    const cursor = cursorOf(await call());
    const answer = await call({ cursor }, { ...TOOL, isLong: true });
    assert.equal(answer.isError, true);
    assert.match(answer.text, /has expired\. Call again without the cursor/);
    assert.equal(route.runs, 1);
  });

  test('a cursor that was never given out is refused', async () => {
    const { route, call } = server(words('a'));
    const answer = await call({ cursor: 'next' });
    assert.equal(answer.isError, true);
    assert.equal(route.runs, 0);
  });
});
