import { describeFiles } from '../describe-files.ts';

describeFiles('test/flows/**/*.test.ts', { part: 4, of: 4 });
