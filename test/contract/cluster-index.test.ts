import { after } from 'node:test';
import { clusterForTests } from '../fixtures/cluster-for-tests.ts';
import { hostContract } from './host-contract.ts';
import { indexContract } from './index-contract.ts';

const cluster = clusterForTests();
if (cluster !== null) {
  after(cluster.removeAll);
  indexContract('the index behind OpenSearch', () => cluster.open());
  hostContract('hosts of the index behind OpenSearch', () => cluster.open());
}
