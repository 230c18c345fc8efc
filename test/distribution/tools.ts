/** Servers of the distribution: found, or the test fails with the package that has them. */
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian puts what must not be called by hand. */
function postgresFolders(): readonly string[] {
  try {
    const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a));
    return versions.map((version) => join('/usr/lib/postgresql', version, 'bin'));
  } catch {
    return [];
  }
}

/**
 * The path of a program.
 * @throws an Error naming the Debian package: a suite that was asked for and cannot run has failed.
 */
export function tool(name: string, debianPackage: string): string {
  const folders = [...postgresFolders(), ...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not there: the next folder.
    }
  }
  throw new Error(
    `${name} was not found: install the Debian package ${debianPackage} (apt-get install ${debianPackage})`,
  );
}

/** PostgreSQL refuses to run as root: then it is started as `nobody`, which owns nothing else here. */
export function asUser(command: string, directory: string): string {
  if (process.getuid?.() !== 0) return command;
  const runuser = tool('runuser', 'util-linux');
  return `chown nobody '${directory}' && exec ${runuser} -u nobody -- sh -c '${command.replaceAll("'", `'\\''`)}'`;
}
