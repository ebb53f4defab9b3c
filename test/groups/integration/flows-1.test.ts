import { describeFiles } from '../describe-files.ts';

describeFiles('test/flows/**/*.test.ts', { part: 1, of: 3 });
