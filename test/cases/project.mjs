// A row as a git repository: branch main with version A, branch candidate (checked out) with version B.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fixture = (name) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** Every file of one side; `version` is that of the package in question. */
export function filesOf(row, version) {
  const routes = row.routes.map((route) => [
    `/${route.id}`,
    { run: route.run, perRequest: route.perRequest },
  ]);
  const operations = row.routes.flatMap((route) => route.run);
  return {
    'package.json': json({
      name: 'case',
      version: '1.0.0',
      private: true,
      type: 'module',
      dependencies: { [row.package]: version, ...row.alsoPinned },
    }),
    '.gitignore': 'node_modules/\npackage-lock.json\n',
    'server.mjs': fixture('server.mjs'),
    'operations.mjs': fixture(`operations/${row.package}.mjs`),
    'hot.bench.mjs': `export { ${operations.join(', ')} } from './operations.mjs';\n`,
    'routes.json': json(Object.fromEntries(routes)),
    'tailgate.yml': settings(row),
  };
}

/** Flow style, that is JSON, which YAML contains: nothing needs quoting by hand. */
function settings(row) {
  const scenarios = row.routes.map(({ id, rate }) => ({ name: id, rate, path: `/${id}` }));
  const lines = [
    'setup: npm install --ignore-scripts --no-audit --no-fund',
    'start: node server.mjs',
    'ready: { path: /health }',
    `scenarios: ${JSON.stringify(scenarios)}`,
    'microbenchmarks: [hot.bench.mjs]',
  ];
  return `${lines.join('\n')}\n`;
}

export function writeProject(folder, row) {
  mkdirSync(folder, { recursive: true });
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, ...environment } = process.env;
  const own = [
    '-c',
    'user.name=Cases',
    '-c',
    'user.email=cases@example.invalid',
    '-c',
    'commit.gpgsign=false',
  ];
  const git = (...args) =>
    execFileSync('git', [...own, ...args], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const commit = (version, message) => {
    for (const [name, content] of Object.entries(filesOf(row, version))) {
      writeFileSync(join(folder, name), content);
    }
    git('add', '--all');
    git('commit', '--quiet', '--no-verify', '--message', message);
  };
  git('init', '--quiet', '--initial-branch=main');
  commit(row.a, `Use ${row.package} ${row.a}`);
  git('checkout', '--quiet', '-b', 'candidate');
  commit(row.b, `Use ${row.package} ${row.b}`);
}
