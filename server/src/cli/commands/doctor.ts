import { ownerOf } from '../../platform/postgres/embedded/index.ts';
import { type ListOptions, printRows } from '../output/output.ts';
import { connect, withDb } from '../running/session.ts';
import { CHECKS, type Finding } from './doctor-checks.ts';

/** Runs all checks. Returns the exit code, which is 1 if any check fails. */
export async function doctor(options: ListOptions): Promise<number> {
  const { config, connection, close } = await connect();
  const findings: (Finding & { check: string })[] = [];
  try {
    const isServing =
      config.databaseUrl !== null || ((await ownerOf(config.dataDirectory)) ?? process.pid) !== process.pid;
    await withDb(connection, async (db) => {
      const subject = { config, connection, db, now: new Date(), isServing };
      for (const [name, check] of CHECKS) {
        const finding = await check(subject).catch(
          (error: unknown): Finding => ({
            state: 'fail',
            detail: error instanceof Error ? error.message : String(error),
          }),
        );
        findings.push({ check: name, ...finding });
      }
    });
  } finally {
    await close();
  }
  printRows(
    findings.map(({ check, state, detail }) => ({ check, state, detail })),
    options,
  );
  return findings.some(({ state }) => state === 'fail') ? 1 : 0;
}
