import { describeFiles } from '../describe-files.ts';

describeFiles('test/contract/**/*.test.ts', { part: 1, of: 3 });
