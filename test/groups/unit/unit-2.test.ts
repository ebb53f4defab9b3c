import { describeFiles } from '../describe-files.ts';

describeFiles('{src,bench}/**/*.test.ts', { part: 2, of: 2 });
