import { describeFiles } from '../describe-files.ts';

describeFiles('test/flows/**/*.test.ts', { part: 2, of: 3 });
