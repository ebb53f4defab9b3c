import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Packages of Debian with documentation in HTML, made by some twenty generators and by hand. */
export const PACKAGES = (
  'apt-doc aptitude-doc-en autoconf-doc bash-doc bind9-doc cmake-doc debian-policy developers-reference docbook-xsl-doc-html ' +
  'erlang-doc exim4-doc-html ffmpeg-doc flex-doc git-doc gnuplot-doc golang-1.19-doc graphviz-doc groff haproxy-doc hplip-doc ' +
  'imagemagick-6-doc libboost1.74-doc libeigen3-doc libglib2.0-doc libxml2-doc lilypond-doc-html m4-doc maint-guide maxima-doc ' +
  'mutt netcdf-doc nim-doc ntpsec-doc openjdk-17-doc openmpi-doc postfix-doc postgresql-doc-15 privoxy python-attr-doc ' +
  'python-celery-doc python-click-doc python-django-doc python-flask-doc python-jinja2-doc python-requests-doc python-tornado-doc ' +
  'python-werkzeug-doc python3.11-doc r-doc-html rust-doc sbcl-doc scheme48-doc slurm-wlm-doc sqlite3-doc subversion ' +
  'swi-prolog-doc valgrind vim-doc zsh-doc'
).split(' ');

const HTML_BYTES = { min: 3_000, max: 5_000_000 };

/** Unpacks a package of Debian below `folder` unless it is there; null where it cannot be had. */
export function unpackPackage(name: string, folder: string): string | null {
  const into = join(folder, name);
  if (existsSync(into)) return into;
  const packed = join(folder, 'packed', name);
  mkdirSync(packed, { recursive: true });
  try {
    execFileSync('apt-get', ['download', name], { cwd: packed, stdio: 'ignore' });
    const [file] = readdirSync(packed).filter((each) => each.endsWith('.deb'));
    if (file === undefined) return null;
    execFileSync('dpkg-deb', ['-x', join(packed, file), into], { stdio: 'ignore' });
    return into;
  } catch (error) {
    // Not on Debian, not on a network, or not in this release.
    if (error instanceof Error) return null;
    throw error;
  }
}

/** So many HTML files below a folder, the same each time, drawn by a hash of their paths. */
export function drawPages(folder: string, count: number): string[] {
  const hashOf = (file: string): string =>
    createHash('sha256').update(file.slice(folder.length)).digest('hex');
  return filesBelow(folder)
    .filter((file) => {
      if (!/\.html?$/.test(file)) return false;
      const { size } = statSync(file);
      return size >= HTML_BYTES.min && size <= HTML_BYTES.max;
    })
    .map((file) => ({ file, hash: hashOf(file) }))
    .sort((one, other) => (one.hash < other.hash ? -1 : 1))
    .slice(0, count)
    .map(({ file }) => file);
}

/** The files below a folder. Links are not followed: some packages hold loops of them. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}
