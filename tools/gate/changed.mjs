// This module finds HTTP tests by the paths of the changed files, for `npm test -- --changed`.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../setup.mjs';

const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);

function changedFiles() {
  const hasMain = git('branch', '--list', 'main').length > 0;
  const base = hasMain ? git('merge-base', 'HEAD', 'main')[0] : 'HEAD';
  return [
    ...new Set([
      ...git('diff', '--name-only', '--diff-filter=d', base),
      ...git('ls-files', '--others', '--exclude-standard'),
    ]),
  ];
}

const SOURCE = /^server\/src\/(?:management\/|sign-in\/|oauth\/|platform\/)?([a-z-]+)\//;

const ALWAYS = 'server/test/sweeps/routes.test.ts';

/**
 * Returns the HTTP tests that changed or are named after a changed area (`zone*.test.ts` for zones). If an area
 * changed, they include the sweep in `ALWAYS`.
 */
export function httpTestsOfChange() {
  const changed = changedFiles();
  const areas = [...new Set(changed.map((path) => SOURCE.exec(path)?.[1]).filter((area) => area !== undefined))];
  const stems = areas.map((area) => area.replace(/s$/, ''));
  const api = readdirSync(join(ROOT, 'server', 'test', 'api')).filter((name) => name.endsWith('.test.ts'));
  const named = api
    .filter((name) => stems.some((stem) => name.startsWith(stem)))
    .map((name) => `server/test/api/${name}`);
  const themselves = changed.filter((path) => /^server\/test\/(api|sweeps)\/.+\.test\.ts$/.test(path));
  const always = areas.length > 0 && existsSync(join(ROOT, ALWAYS)) ? [ALWAYS] : [];
  return [...new Set([...themselves, ...named, ...always])];
}
