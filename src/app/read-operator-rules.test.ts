import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findOperatorRule } from '../pages/extract/content/rules/operator-rules.ts';
import { readConfig } from './config.ts';
import { readOperatorRules } from './read-operator-rules.ts';

const folder = mkdtempSync(join(tmpdir(), 'sanderling-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'rules.json');

function readRules(content: unknown): ReturnType<typeof readOperatorRules> {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readOperatorRules(readConfig({ EXTRACT_RULES: path }));
}

test('the rule of a host holds for its subdomains, unless they have their own', () => {
  const rules = readRules({ 'a.example': { drop: ['.promo'] }, 'docs.a.example': { keep: ['#api'] } });
  const dropsAt = (url: string) => findOperatorRule(rules, url)?.drop;
  assert.deepEqual(dropsAt('https://a.example/x'), ['.promo']);
  assert.deepEqual(dropsAt('https://www.a.example/'), ['.promo']);
  assert.deepEqual(dropsAt('https://docs.a.example/'), []);
  assert.equal(dropsAt('https://other.example/'), undefined);
  assert.equal(dropsAt('https://nota.example/'), undefined);
});

test('without the setting there are no rules', () => {
  assert.equal(readOperatorRules(readConfig({})).size, 0);
});

test('a mistake in the file is named with its place', () => {
  const mistakes: [unknown, RegExp][] = [
    [
      { 'a.example': { drop: ['.x['] } },
      /^EXTRACT_RULES: a\.example\.drop\.0: "\.x\[" is not a valid CSS selector$/,
    ],
    [
      { 'https://a.example/': {} },
      /^EXTRACT_RULES: https:\/\/a\.example\/: is not a host such as example\.org/,
    ],
    [{ 'a.example': { remove: ['p'] } }, /^EXTRACT_RULES: a\.example: .*"remove"/],
    [{ 'a.example': { keep: Array(51).fill('p') } }, /a\.example\.keep: must have at most 50 selectors/],
    ['{', /^EXTRACT_RULES: .*rules\.json is not JSON/],
  ];
  for (const [content, message] of mistakes) assert.throws(() => readRules(content), { message });
  assert.throws(
    () => readOperatorRules({ extractRules: join(folder, 'none.json') }),
    /none\.json cannot be read/,
  );
});
