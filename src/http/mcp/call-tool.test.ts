import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callTool, type ToolAnswer, type ToolDeps } from './call-tool.ts';
import { READ_FIELDS, type Tool } from './tool.ts';

/** Distinct words, so that no two parts of a text are equal. */
const words = (mark: string): string =>
  Array.from({ length: 1_500 }, (_, place) => `${mark}${place}`).join(' ');

const TOOL: Tool = {
  name: 'search',
  title: 'Search',
  price: '',
  description: '',
  fields: { query: { kind: 'text', required: true }, ...READ_FIELDS },
  annotations: {},
  call: () => ({ method: 'POST', path: '/v1/search' }),
  write: (body) => ({ text: String(body) }),
};

/** A server with one answer; with `forgets` it keeps no rest, like another process, or this one after the rest expired. */
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
    isMetered: true,
    word: ({ message }) => message,
  };
  const call = (more: object = {}, tool = TOOL): Promise<ToolAnswer> =>
    callTool(tool, { query: 'q', max_tokens: 1_000, ...more }, deps);
  return { route, call };
}

const cursorOf = ({ text }: ToolAnswer): string => /cursor "([^"]+)"/.exec(text)?.[1] ?? assert.fail(text);
/** An answer without its footer. */
const bare = ({ text }: ToolAnswer): string => text.replace(/\n\n\[\d+ % shown.*\]$/s, '');

/** The whole answer, starting from its first part. */
async function toTheEnd(first: ToolAnswer, call: (more: object) => Promise<ToolAnswer>): Promise<string> {
  let whole = bare(first);
  for (let part = first; part.text.includes('cursor "'); ) {
    part = await call({ cursor: cursorOf(part) });
    whole += bare(part);
  }
  return whole;
}

describe('the rest of an answer', () => {
  test('is served without another call while it is kept', async () => {
    const { route, call } = server(words('a'));
    assert.equal(await toTheEnd(await call(), call), words('a'));
    assert.equal(route.runs, 1);
  });

  test('continues after it expired if the answer is still the same', async () => {
    const { route, call } = server(words('a'), { forgets: true });
    assert.equal(await toTheEnd(await call(), call), words('a'));
    assert.ok(route.runs > 1);
  });

  test('starts over after it expired if the answer has changed, and says so', async () => {
    const { route, call } = server(words('a'), { forgets: true });
    const cursor = cursorOf(await call());
    route.text = words('b');
    const answer = await call({ cursor });
    assert.match(
      answer.text,
      /^\(The answer has changed since it was cut; this is its new beginning\.\)\n\nb0 b1 /,
    );
  });

  test('of a changed answer has its own cursors', async () => {
    const { route, call } = server(words('a'));
    const cursor = cursorOf(await server(words('c')).call());
    route.text = words('b');
    const whole = await toTheEnd(await call({ cursor }), call);
    assert.equal(whole.slice(whole.indexOf('b0')), words('b'));
    assert.equal(route.runs, 1);
  });

  test('of a long call is refused after it expired, because the call must not run again unasked', async () => {
    const { route, call } = server(words('a'), { forgets: true });
    const cursor = cursorOf(await call());
    const answer = await call({ cursor }, { ...TOOL, isLong: true });
    assert.equal(answer.isError, true);
    assert.match(answer.text, /has expired; call again without the cursor/);
    assert.equal(route.runs, 1);
  });

  test('is refused for a cursor that the server never issued', async () => {
    const { route, call } = server(words('a'));
    const answer = await call({ cursor: 'next' });
    assert.equal(answer.isError, true);
    assert.equal(route.runs, 0);
  });
});
