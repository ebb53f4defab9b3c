// Checks the production dependencies: known vulnerabilities (`npm audit`, if the registry answers) and licences against an
// allow-list. Prints the licences as a table; exits with 1 on a vulnerability or on a licence that is not allowed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** SPDX ids of licences that require no more than a notice. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Zlib',
]);
const AUDIT_MS_MAX = 60_000;

const refused = checkLicences(productionPackages());
const audit = auditVulnerabilities();
console.log(audit.text);
if (refused.length > 0) console.log(`Licences that are not allowed: ${refused.join(', ')}`);
process.exitCode = refused.length > 0 || audit.found ? 1 : 0;

/** Every package of the lock file that `npm ci --omit=dev` may install. */
function productionPackages() {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version, license }]) => ({
      name: `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
      license: license ?? 'none given',
    }));
}

/** Prints a table of licences and returns the packages whose licence is not allowed. */
function checkLicences(packages) {
  const byLicence = Map.groupBy(packages, ({ license }) => license);
  const rows = [...byLicence].sort(([, one], [, other]) => other.length - one.length);
  console.table(
    rows.map(([licence, of]) => ({
      licence,
      packages: of.length,
      allowed: isAllowed(licence) ? 'yes' : 'NO',
      such: of
        .slice(0, 3)
        .map(({ name }) => name)
        .join(', '),
    })),
  );
  return packages
    .filter(({ license }) => !isAllowed(license))
    .map(({ name, license }) => `${name} (${license})`);
}

/** Reads an SPDX expression without nesting: of an OR one licence must be allowed, of an AND all. */
function isAllowed(expression) {
  const bare = expression.replace(/[()]/g, '');
  return bare
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => ALLOWED.has(licence.trim())));
}

/** Asks the registry; an unreachable registry is reported and does not fail the check. */
function auditVulnerabilities() {
  const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    encoding: 'utf8',
    timeout: AUDIT_MS_MAX,
  });
  const counts = error ? undefined : readCounts(stdout);
  if (counts === undefined)
    return { found: false, text: 'Vulnerabilities: not checked; the registry did not answer npm audit.' };
  const severities = ['critical', 'high', 'moderate', 'low'].map((name) => `${counts[name]} ${name}`);
  const hint = counts.total > 0 ? ' (npm audit --omit=dev names them)' : '';
  return { found: counts.total > 0, text: `Vulnerabilities: ${severities.join(', ')}${hint}` };
}

function readCounts(json) {
  try {
    return JSON.parse(json).metadata?.vulnerabilities;
  } catch {
    return undefined;
  }
}
