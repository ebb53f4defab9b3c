import { COSTS } from './case-tables.ts';
import { runTables } from './run-cases.ts';

runTables(COSTS);
