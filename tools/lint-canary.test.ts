import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-lint-'));
  const compilerOptions = {
    target: 'ES2023',
    module: 'NodeNext',
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  writeFileSync(join(folder, 'store.ts'), 'export const save = async (id: string) => `saved ${id}`;\n');
  copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function lint(text: string): { status: number | null; output: string } {
  writeFileSync(join(folder, 'use-case.ts'), `import { save } from './store.ts';\n\n${text}\n`);
  const program = join(ROOT, 'node_modules', 'oxlint', 'bin', 'oxlint');
  // oxlint looks for its type-aware program on the PATH.
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}` };
  const options = { cwd: folder, encoding: 'utf8', env } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--type-aware', '.'], options);
  return { status, output: stdout + stderr };
}

// A missing `await` in a unit of work is a grave fault. To report it, a linter must know that a function imported from
// another file returns a promise.
test('a promise of another file that nobody awaits is an error', () => {
  const { status, output } = lint('export async function run(): Promise<void> {\n  save("1");\n}');
  expect(output).toContain('no-floating-promises');
  expect(status).not.toBe(0);
});

test('a promise of another file in a condition is an error', () => {
  const { status, output } = lint(
    'export const run = (): string => {\n  if (save("1")) return "yes";\n  return "no";\n};',
  );
  expect(output).toContain('no-misused-promises');
  expect(status).not.toBe(0);
});

test('an awaited promise passes', () => {
  const { status, output } = lint('export async function run(): Promise<void> {\n  await save("1");\n}');
  expect({ status, output }).toMatchObject({ status: 0 });
});
