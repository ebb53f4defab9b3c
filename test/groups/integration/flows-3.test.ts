import { describeFiles } from '../describe-files.ts';

describeFiles('test/flows/**/*.test.ts', { part: 3, of: 3 });
