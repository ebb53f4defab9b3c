import { describeFiles } from '../describe-files.ts';

describeFiles('test/http/**/*.test.ts', { part: 1, of: 2 });
