import { REQUESTS } from './case-tables.ts';
import { runTables } from './run-cases.ts';

runTables(REQUESTS);
