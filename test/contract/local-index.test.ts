import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { createLocalIndex } from '../../src/index/local-index.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { hostContract } from './host-contract.ts';
import { indexContract } from './index-contract.ts';
import { upkeepContract } from './index-upkeep-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'local-index-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let opened = 0;
const openLast = (clock?: Clock) =>
  createLocalIndex({
    path: join(folder, `${opened}.db`),
    log: createLog('silent'),
    ...(clock && { clock }),
  });
const openEmpty = (clock?: Clock) => {
  opened += 1;
  return openLast(clock);
};

indexContract('the local index on SQLite', () => openEmpty());
hostContract('hosts of the local index on SQLite', () => openEmpty());
upkeepContract('the upkeep of the local index on SQLite', { open: openEmpty, again: () => openLast() });
