import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { buildPrograms } from './programs.ts';

const BODY = {
  query: `it's "a:true" \\ null, $HOME \`x\` <é>`,
  contents: { highlights: true },
  none: null,
  list: [1, 'b'],
};
const [curl, javaScript, python] = buildPrograms({
  method: 'POST',
  url: `https://example.org/it's/"x"`,
  body: BODY,
  withKey: true,
});

describe('a call as a program', () => {
  test('in a shell the texts of a person stay in their quotes', () => {
    const words = (curl?.code ?? '').replace(/^curl/, `printf '%s\\n'`);
    const { stdout } = spawnSync('sh', ['-c', words], { encoding: 'utf8' });
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines[1], `https://example.org/it's/"x"`);
    assert.deepEqual(JSON.parse(lines.at(-1) ?? ''), BODY);
  });

  test('in JavaScript', () => {
    const sent = /JSON\.stringify\((\{[\s\S]*\})\),/.exec(javaScript?.code ?? '')?.[1] ?? '';
    assert.deepEqual(JSON.parse(sent), BODY);
    assert.match(javaScript?.code ?? '', /fetch\('https:\/\/example\.org\/it%27s\/%22x%22'/);
  });

  test('in Python, with its own words for true, false and null', () => {
    const sent = /json\.dumps\((\{.*\})\)/.exec(python?.code ?? '')?.[1] ?? '';
    assert.match(sent, /"highlights": True/);
    assert.match(sent, /"none": None/);
    assert.ok(sent.includes(JSON.stringify(BODY.query)));
  });
});
