import { describeFiles } from '../describe-files.ts';

describeFiles('test/contract/**/*.test.ts', { part: 3, of: 3 });
