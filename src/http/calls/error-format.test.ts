import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wantsHtml } from './error-format.ts';

const accepts: [accept: string | undefined, wanted: boolean][] = [
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['application/json, TEXT/HTML;q=0.1', true],
  ['text/html', true],
  ['text/html;q=0', false],
  ['text/html;q=0.0, application/json', false],
  ['application/json', false],
  ['*/*', false],
  ['', false],
  [undefined, false],
];
for (const [accept, wanted] of accepts)
  test(`${accept}: ${wanted}`, () => assert.equal(wantsHtml(accept === undefined ? {} : { accept }), wanted));
