import { describeFiles } from '../describe-files.ts';

describeFiles('test/http/**/*.test.ts', { part: 2, of: 2 });
