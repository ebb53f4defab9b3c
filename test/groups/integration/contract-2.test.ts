import { describeFiles } from '../describe-files.ts';

describeFiles('test/contract/**/*.test.ts', { part: 2, of: 3 });
