import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { createClusterIndex } from '../../src/index/opensearch/cluster-index.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { clusterForTests } from '../fixtures/cluster-for-tests.ts';
import { indexContract } from './index-contract.ts';
import { upkeepContract } from './index-upkeep-contract.ts';

const cluster = clusterForTests();
if (cluster !== null) {
  const run = `test-${randomUUID()}`;
  let opened = 0;
  const openLast = async (clock?: Clock) =>
    createClusterIndex({
      settings: cluster.settings(`${run}-${opened}`),
      log: createLog('silent'),
      ...(clock && { clock }),
    });
  const openEmpty = (clock?: Clock) => {
    opened += 1;
    return openLast(clock);
  };
  after(() => cluster.remove(run));

  indexContract('the index behind OpenSearch', () => openEmpty());
  upkeepContract('the upkeep of the index behind OpenSearch', { open: openEmpty, again: () => openLast() });
}
