import { RESPONSES } from './case-tables.ts';
import { runTables } from './run-cases.ts';

runTables(RESPONSES);
