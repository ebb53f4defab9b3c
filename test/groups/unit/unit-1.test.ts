import { describeFiles } from '../describe-files.ts';

describeFiles('{src,bench}/**/*.test.ts', { part: 1, of: 2 });
