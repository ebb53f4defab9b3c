import { describeFiles } from '../describe-files.ts';

describeFiles('test/{fixtures,jobs,mcp,pages,properties,spec}/**/*.test.ts');
