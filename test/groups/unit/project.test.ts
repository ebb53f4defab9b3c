import { describeFiles } from '../describe-files.ts';

describeFiles('test/{*,{architecture,mutation}/*}.test.ts');
