import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { createLocalIndex } from '../../src/index/local-index.ts';
import { createLog } from '../../src/platform/log.ts';
import { indexContract } from './index-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'local-index-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let opened = 0;
indexContract('the local index on SQLite', () => {
  opened += 1;
  return createLocalIndex({ path: join(folder, `${opened}.db`), log: createLog('silent') });
});
