import { describeOnStores } from '../fixtures/postgres.ts';
import { ledgerContract } from './ledger-contract.ts';
import { openBilling } from './open-billing.ts';

await describeOnStores('the ledger', (databaseUrl) =>
  ledgerContract('keeps its contract', () => openBilling(databaseUrl)),
);
