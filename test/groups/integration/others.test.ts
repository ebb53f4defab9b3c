import { describeFiles } from '../describe-files.ts';

// linear-regexes watches modules being loaded for the first time, and has a process of its own.
describeFiles('test/{fixtures,jobs,mcp,monitors,pages,properties,spec}/**/!(linear-regexes).test.ts');
