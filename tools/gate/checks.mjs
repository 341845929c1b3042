import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../setup.mjs';
import { count } from './report.mjs';

const CHECKS = [
  { name: 'types', command: ['typescript/bin/tsc', '-p', '.'] },
  { name: 'lint', command: ['oxlint/bin/oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'format', command: ['@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'] },
  { name: 'walls', command: [join(ROOT, 'tools', 'walls.mjs')] },
  { name: 'dead code', command: ['knip/bin/knip.js', '--no-progress'] },
  { name: 'generated files are fresh', command: ['tsx/dist/cli.mjs', join(ROOT, 'tools', 'generate.ts'), '--check'] },
];

/** Returns the arguments with which Node runs a program. Relative paths are resolved in node_modules. */
export const programOf = ([program, ...args]) => [
  program.startsWith(ROOT) ? program : join(ROOT, 'node_modules', program),
  ...args,
];

export async function runChecks(names = CHECKS.map(({ name }) => name)) {
  const waiting = CHECKS.filter(({ name }) => names.includes(name));
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { command, name } = next;
      const started = Date.now();
      const child = spawn(process.execPath, programOf(command), { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
      const output = [];
      child.stdout.on('data', (chunk) => output.push(chunk));
      child.stderr.on('data', (chunk) => output.push(chunk));
      const [code] = await once(child, 'close');
      console.log(`\n== ${name}\n${Buffer.concat(output)}`);
      count(name, code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }, started);
    }
  };
  await Promise.all([work(), work()]);
}
