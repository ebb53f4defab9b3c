import { describeFiles } from '../describe-files.ts';

describeFiles('test/processes/**/*.test.ts', { part: 2, of: 2 });
