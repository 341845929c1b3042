import type { OrgId } from '../../src/kernel/words/ids.ts';
import {
  type ExportRequest,
  exportHead,
  exportPages,
  makeCheckpoints,
  planExport,
} from '../../src/system-log/index.ts';
import type { TestDatabase } from './database.ts';
import { newProofKey, type ProofKey, proofSigner } from './log-proof.ts';
import { created, LogBench } from './system-log.ts';

export const START = '2026-11-20T12:00:00.000Z';
const MINUTE = 60_000;
export const minutesIn = (minutes: number): Date => new Date(new Date(START).getTime() + minutes * MINUTE);

export const EXPORTED_EVENTS = 2_500;

export const WHOLE: ExportRequest = {
  format: 'ndjson',
  proof: false,
  filter: null,
  since: null,
  until: null,
  fromPosition: null,
  toPosition: null,
};

/** A log in which every tenth event is a failure. A checkpoint signs the log's head. */
export interface ExportBench {
  readonly bench: LogBench;
  readonly key: ProofKey;
  readonly orgId: OrgId;
  readonly exported: (given?: Partial<ExportRequest>, of?: OrgId) => Promise<string>;
  /** Returns the stored bodies of the events that match the SQL condition `where`. */
  readonly bodies: (where?: string) => Promise<string[]>;
}

export const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);

export async function openExportBench(database: TestDatabase): Promise<ExportBench> {
  const bench = new LogBench(database.pool);
  const key = await newProofKey();
  const orgId = await bench.newOrg();
  for (let minute = 0; minute < 25; minute += 1) {
    bench.clock.set(minutesIn(minute));
    const events = Array.from({ length: EXPORTED_EVENTS / 25 }, (_, index) =>
      created(`u${minute}.${index}`, index % 10 === 0 ? { outcome: { result: 'FAILURE', reason: 'a, "b"\nc' } } : {}),
    );
    await bench.write(orgId, events);
    await bench.drainAll();
  }
  const clock = { now: () => new Date(Date.now() + 3_600_000) };
  await makeCheckpoints({ db: database.db, clock, logSigner: proofSigner(database.db, key) });
  return {
    bench,
    key,
    orgId,
    exported: async (given = {}, of = orgId) => {
      const request = { ...WHOLE, ...given };
      const plan = await planExport({ connections: bench.connections, db: database.db }, of, request);
      let text = exportHead(of, request, plan);
      for await (const page of exportPages(bench.connections, of, request, plan)) text += page.text;
      return text;
    },
    bodies: async (where = 'true') => {
      const text = `select body from log_unsealed where org_id = $1 and ${where} order by position`;
      return (await bench.query<{ body: string }>(text, [orgId])).map(({ body }) => body);
    },
  };
}
