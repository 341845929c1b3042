// `npx tsx tools/mutations.ts [word]` restores the known defects one by one in a temporary worktree, and runs the
// test that should detect each. A word selects the defects whose finding or file contains the word. The exit code is 1
// if a test does not fail or no defect matches.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFECTS, type Defect } from './mutations/defects.ts';

const ROOT = join(import.meta.dirname, '..');
const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });

function withWorktree(use: (tree: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mutations-'));
  const tree = join(folder, 'tree');
  git('worktree', 'add', '--quiet', '--detach', tree, 'HEAD');
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
    use(tree);
  } finally {
    git('worktree', 'remove', '--force', tree);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Tells whether a test fails with the defect. A test file that cannot be loaded does not detect it. */
function isNoticed(tree: string, { after, before, file, test }: Defect): boolean {
  const path = join(tree, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    source.replace(before, () => after),
  );
  const { stdout } = spawnSync(process.execPath, [join(tree, 'tools', 'test.mjs'), test], {
    cwd: tree,
    env: { ...process.env, NO_COLOR: '1' },
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  writeFileSync(path, source);
  return /^.*Tests .*\d+ failed/m.test(stdout);
}

const [word = ''] = process.argv.slice(2);
const chosen = DEFECTS.filter(({ file, finding }) => `${finding} ${file}`.includes(word));
let missed = 0;
withWorktree((tree) => {
  for (const defect of chosen) {
    const noticed = isNoticed(tree, defect);
    if (!noticed) missed += 1;
    console.log(`| ${defect.finding} | ${defect.what} | \`${defect.test}\` | ${noticed ? 'failed' : 'DID NOT FAIL'} |`);
  }
});
console.log(`${chosen.length - missed} of ${chosen.length} defects were noticed`);
process.exit(chosen.length > 0 && missed === 0 ? 0 : 1);
