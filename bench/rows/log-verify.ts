import { createHash } from 'node:crypto';
import { built } from '../built.ts';
import { copyOfLog, copyOut, openCopyClient } from '../copy.ts';
import type { Gatehouse } from '../gatehouse.ts';
import { type LogArena, logArena } from '../log-arena.ts';
import type { Result } from '../result.ts';
import type { Row } from '../row.ts';

/** Reads the bodies by COPY and hashes each. */
async function readAndHash({ connection }: Gatehouse, orgId: string): Promise<number> {
  const client = await openCopyClient(connection);
  const started = performance.now();
  const { rows } = await copyOut(client, copyOfLog(orgId), (row) => createHash('sha256').update(row).digest());
  const perSecond = (rows * 1_000) / (performance.now() - started);
  await client.end();
  return perSecond;
}

async function verify({ data, gatehouse }: LogArena): Promise<number> {
  const { connectionsOver, verifyOrg } = await built('system-log/index');
  const started = performance.now();
  const report = await verifyOrg(connectionsOver(gatehouse.pool), data.orgId, { checkpoints: [] });
  if (!report.ok) throw new Error(`the generated log does not verify: ${JSON.stringify(report.fault)}`);
  return (report.verified * 1_000) / (performance.now() - started);
}

/** This row compares the work of `gatehouse log verify` with reading and hashing the same events. */
export const logVerify: Row = {
  name: 'log-verify',
  settings: ({ sizes }) => `${sizes.logEvents.toLocaleString('en-US')} events in one org, in a process of its own`,
  run: async (options) => {
    const arena = await logArena(options);
    const verified: number[] = [];
    const hashed: number[] = [];
    for (let round = 0; round < options.sizes.logExports; round += 1) {
      hashed.push(await readAndHash(arena.gatehouse, arena.data.orgId));
      verified.push(await verify(arena));
    }
    const result: Result = {
      work: 'log verify',
      gatehouse: { name: 'Gatehouse', unit: 'per second', values: verified },
      beside: { name: 'copy to stdout of the same events, each hashed', unit: 'per second', values: hashed },
      target: { bound: 0.5, atLeast: true },
    };
    return [result];
  },
};
