import { describeFiles } from '../describe-files.ts';

describeFiles('test/processes/**/*.test.ts', { part: 1, of: 2 });
