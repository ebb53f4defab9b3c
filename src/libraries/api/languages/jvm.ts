/** Reads the public and protected types of Java and Kotlin sources, one module for each top-level type and one for each package. */

import type { ApiModule, Declaration } from '../api-module.ts';
import { convertJavadoc } from '../comments/javadoc.ts';
import type { SourceReader } from '../source-reader.ts';
import { readJavaFile } from './java.ts';
import { readKotlinFile } from './kotlin.ts';

const OTHER_SOURCE =
  /(?:^|\/)(?:test|tests|androidTest|commonTest|jvmTest|META-INF|module-info\.java)(?:\/|$)/;

/** By custom no part of the interface, although the language calls it public. */
const INTERNAL_PACKAGE = /(?:^|\.)internal(?:\.|$)/;

export function readJvmModules(source: SourceReader): ApiModule[] {
  const modules: ApiModule[] = [];
  const packages = new Map<string, ApiModule>();
  const findPackage = (name: string, language: string): ApiModule => {
    const known = packages.get(name) ?? { name, language, docs: '', deprecated: null, declarations: [] };
    packages.set(name, known);
    return known;
  };
  for (const path of source.paths) {
    const language = path.endsWith('.java') ? 'java' : path.endsWith('.kt') ? 'kotlin' : null;
    if (language === null || OTHER_SOURCE.test(path)) continue;
    if (path.endsWith('package-info.java')) {
      readPackageComment(source.getText(path) ?? '', findPackage);
      continue;
    }
    const file = source.read(path, language, language === 'java' ? readJavaFile : readKotlinFile);
    if (file === null || INTERNAL_PACKAGE.test(file.package)) continue;
    for (const type of file.types) modules.push(describeType(type, file.package, language));
    if (file.functions.length > 0) {
      const module = findPackage(file.package, language);
      for (const declaration of file.functions)
        module.declarations.push({ ...declaration, name: qualify(file.package, declaration.name) });
    }
  }
  return [...modules, ...packages.values()];
}

const qualify = (packageName: string, name: string): string =>
  packageName === '' ? name : `${packageName}.${name}`;

function describeType(type: Declaration, packageName: string, language: string): ApiModule {
  const name = qualify(packageName, type.name);
  return { name, language, docs: '', deprecated: null, declarations: [{ ...type, name }] };
}

function readPackageComment(text: string, findPackage: (name: string, language: string) => ApiModule): void {
  const clause = /^package[ \t]+([\w.]+)/m.exec(text);
  const name = clause?.[1];
  const begin = text.lastIndexOf('/**', clause?.index ?? 0);
  const end = begin === -1 ? -1 : text.indexOf('*/', begin);
  if (name === undefined || end === -1 || INTERNAL_PACKAGE.test(name)) return;
  const { docs, deprecated } = convertJavadoc(text.slice(begin, end + 2));
  const module = findPackage(name, 'java');
  module.docs = docs;
  module.deprecated = deprecated;
}
