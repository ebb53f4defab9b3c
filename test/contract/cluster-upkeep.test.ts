import { after } from 'node:test';
import { clusterForTests } from '../fixtures/cluster-for-tests.ts';
import { upkeepContract } from './index-upkeep-contract.ts';

const cluster = clusterForTests();
if (cluster !== null) {
  after(cluster.removeAll);
  upkeepContract('the upkeep of the index behind OpenSearch', {
    open: cluster.open,
    again: () => cluster.openAgain(),
  });
}
