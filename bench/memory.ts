import { readdirSync, readFileSync } from 'node:fs';

/** The memory of an installation's own processes: supervisor, primary and workers. PostgreSQL and npm are left out. */
export interface InstallationMemory {
  /**
   * The sum of the proportional set sizes (PSS). PSS divides a shared page, such as a page of Node's program, among the
   * processes that use it. Resident set sizes would count the page once for each process. Other Node processes on the
   * machine make the sum smaller.
   */
  readonly megabytes: number;
  readonly workers: number;
}

const isOurs = (command: string): boolean => /\b(start\.mjs|start\.js|main\.js)\0/.test(command);

const textOf = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

function familyOf(pid: number): number[] {
  const parentOf = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), Number(/^PPid:\s+(\d+)/m.exec(textOf(Number(name), 'status'))?.[1])]),
  );
  const below = (above: number): number[] =>
    [...parentOf].filter(([, parent]) => parent === above).flatMap(([child]) => [child, ...below(child)]);
  return [pid, ...below(pid)];
}

/** Returns null except on Linux, because the values come from /proc. */
export function memoryOf(pid: number): InstallationMemory | null {
  if (process.platform !== 'linux') return null;
  const own = familyOf(pid).filter((member) => isOurs(textOf(member, 'cmdline')));
  const kibibytes = own.map((member) => Number(/^Pss:\s+(\d+)/m.exec(textOf(member, 'smaps_rollup'))?.[1] ?? 0));
  const serving = own.filter((member) => /\bmain\.js\0/.test(textOf(member, 'cmdline'))).length;
  return {
    megabytes: (kibibytes.reduce((sum, one) => sum + one, 0) * 1_024) / 1_000_000,
    // With several workers, one of the processes is their primary, which runs the same program.
    workers: Math.max(1, serving - 1),
  };
}
