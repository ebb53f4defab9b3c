import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBackground } from '../../platform/background.ts';
import { createLog } from '../../platform/log.ts';
import { createUseLog } from './use-log.ts';

test('a thousand uses of one page are one write, and only on flush', async () => {
  const written: string[][] = [];
  const use = async (urls: string[]): Promise<void> => void written.push(urls);
  const background = createBackground(createLog('silent'));
  const log = createUseLog({ index: { use }, background });
  for (let times = 0; times < 1_000; times++) log.note(['https://example.org/']);
  assert.deepEqual(written, []);
  await log.flush();
  await log.flush();
  assert.deepEqual(written, [['https://example.org/']]);
});

test('a full batch is written at once', async () => {
  const written: number[] = [];
  const use = async (urls: string[]): Promise<void> => void written.push(urls.length);
  const background = createBackground(createLog('silent'));
  const log = createUseLog({ index: { use }, background });
  for (let page = 0; page < 501; page++) log.note([`https://example.org/${page}`]);
  await background.drain();
  assert.deepEqual(written, [500]);
});
