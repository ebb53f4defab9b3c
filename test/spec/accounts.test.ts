import { ACCOUNTS } from './case-tables.ts';
import { runTables } from './run-cases.ts';

runTables(ACCOUNTS);
