import type { Release } from '../registries/registry-types.ts';
import { encodePath } from './repository-archive.ts';

/** Where a file of a package can be looked at; private packages have the address of their archive only. */
export function buildFileAddress(release: Release, path: string): string {
  const { ecosystem, name, version, isPrivate, archives } = release;
  // The page of a Go module shows its API reference, which has that address.
  const isReadme = ecosystem !== 'go' && /^readme[^/]*$/i.test(path);
  const own = archives.find(({ kind }) => kind === 'package')?.url;
  if (isPrivate && own !== undefined) return `${own.split(/[?#]/, 1)[0]}?file=${encodeURIComponent(path)}`;
  const withFile = (page: string): string => (isReadme ? page : `${page}?file=${encodeURIComponent(path)}`);
  switch (ecosystem) {
    case 'npm':
      return `https://unpkg.com/${name}@${version}/${encodePath(path)}`;
    case 'crates':
      return `https://docs.rs/crate/${name}/${version}/source/${encodePath(path)}`;
    case 'gem':
      return `https://rubydoc.info/gems/${name}/${version}/file/${encodePath(path)}`;
    case 'maven':
      return `${buildPackageAddress(release)}${encodePath(path)}`;
    default:
      return withFile(buildPackageAddress(release));
  }
}

/** The page of a package at its version; that of its documentation where there is one for every package. */
function buildPackageAddress({ ecosystem, name, version }: Release): string {
  switch (ecosystem) {
    case 'npm':
      return `https://www.npmjs.com/package/${name}/v/${version}`;
    case 'pypi':
      return `https://pypi.org/project/${name}/${version}/`;
    case 'crates':
      return `https://docs.rs/${name}/${version}/`;
    case 'go':
      return `https://pkg.go.dev/${name}@${version}`;
    case 'gem':
      return `https://rubydoc.info/gems/${name}/${version}`;
    case 'composer':
      return `https://packagist.org/packages/${name}/${version}`;
    case 'pub':
      return `https://pub.dev/packages/${name}/versions/${version}`;
    case 'maven':
      return `https://javadoc.io/static/${name.replace(':', '/')}/${version}/`;
  }
}

/**
 * The address of a page of the API reference. `fragment` is the path of its module, which ends with `/~2` for the second page of one.
 * Where a site has a page for each module it is that page, else the page of the package with the module as a parameter.
 */
export function buildModuleAddress(release: Release, fragment: string): string {
  const [module = '', part] = fragment.split('/~');
  const address = new URL(buildModulePage(release, module));
  if (part !== undefined) address.searchParams.set('part', part);
  return address.href;
}

function buildModulePage(release: Release, module: string): string {
  const { ecosystem, name, isPrivate, archives } = release;
  const published = archives.find(({ kind }) => kind !== 'javadoc');
  if (isPrivate && published !== undefined) return `${published.url.split(/[?#]/, 1)[0]}?module=${module}`;
  const page = buildPackageAddress(release);
  if (ecosystem === 'crates') return `${page}${module}/`;
  if (ecosystem === 'go' && module === name) return page;
  if (ecosystem === 'go' && module.startsWith(`${name}/`)) return page + module.slice(name.length);
  // Types have a page each; packages begin with a small letter.
  const isType = /(?:^|\/)[A-Z][^/]*$/.test(module);
  if (ecosystem === 'maven') return `${page}${module}${isType ? '' : '/package-summary'}.html`;
  return `${page}?module=${module}`;
}
