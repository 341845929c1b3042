import { once } from 'node:events';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { type Endpoint, openConnection, requestBytes } from '../connection.ts';
import { copyOfLog, copyOut, openCopyClient } from '../copy.ts';
import { cpuMicroseconds } from '../cpu.ts';
import { authorizationOf, type Gatehouse } from '../gatehouse.ts';
import { assertGood } from '../load.ts';
import { type LogArena, logArena } from '../log-arena.ts';
import type { Result } from '../result.ts';
import { type Row, type RowOptions } from '../row.ts';

const PAGE = 1_000;
const DAY = 86_400_000;
const COMMA = 0x2c;
const OPENING = 0x7b;
const CLOSING = 0x7d;

interface Passage {
  readonly perSecond: number;
  readonly nodeMicroseconds: number;
}

/**
 * Counts the events in a page by the bytes between them. The page is not parsed, because the time of a JSON parser
 * would be measured too.
 */
function eventsIn(body: Buffer): number {
  if (body.length < 4) return 0;
  let events = 1;
  for (let at = body.indexOf('},{"uuid":'); at >= 0; at = body.indexOf('},{"uuid":', at + 10)) {
    if (body[at] === CLOSING && body[at + 1] === COMMA && body[at + 2] === OPENING) events += 1;
  }
  return events;
}

/** Reads the whole log through `next` links, like a new collector. Throws if the number of events is wrong. */
async function exportAll(gatehouse: Gatehouse, expected: number): Promise<Passage> {
  const { endpoint, pid, token } = gatehouse;
  const connection = await openConnection(endpoint, 0);
  const since = new Date(Date.now() - 89.9 * DAY).toISOString();
  let path = `/api/v1/logs?limit=${PAGE}&since=${encodeURIComponent(since)}`;
  let events = 0;
  const cpu = cpuMicroseconds(pid);
  const started = performance.now();
  for (;;) {
    const answer = await connection.send(requestBytes(endpoint, 'GET', path, authorizationOf(token)));
    assertGood(answer);
    const found = eventsIn(answer.body);
    events += found;
    const next = /<([^>]+)>; *rel="next"/i.exec(answer.head)?.[1];
    if (found < PAGE || next === undefined) break;
    path = next.slice(next.indexOf('/api/'));
  }
  const seconds = (performance.now() - started) / 1_000;
  const nodeMicroseconds = (cpuMicroseconds(pid) - cpu) / events;
  connection.close();
  // The product records reads of the log as events, so the export may contain a few more events than expected.
  if (events < expected || events > expected + 10) throw new Error(`${events} of ${expected} events were exported`);
  return { perSecond: events / seconds, nodeMicroseconds };
}

/**
 * Measures the events per second that a client receives when bare Fastify forwards the output of COPY. Fastify and the
 * product use the same protocol.
 */
async function copyOverHttp({ ca, hostname, port }: Endpoint, orgId: string): Promise<number> {
  const options = { host: '127.0.0.1', port, path: `/log-copy/${orgId}` };
  const started = performance.now();
  const request = ca === null ? requestPlain(options) : requestSecure({ ...options, ca, servername: hostname });
  const [answer] = await once(request.end(), 'response');
  let events = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) events += 1;
  }
  return (events * 1_000) / (performance.now() - started);
}

/** Measures the rows per second that COPY sends over the database's own socket. */
async function copyBare({ connection }: Gatehouse, orgId: string): Promise<number> {
  const client = await openCopyClient(connection);
  const started = performance.now();
  const { rows } = await copyOut(client, copyOfLog(orgId));
  const perSecond = (rows * 1_000) / (performance.now() - started);
  await client.end();
  return perSecond;
}

async function measure({ data, gatehouse, peer }: LogArena, rounds: number): Promise<readonly Result[]> {
  const passages: Passage[] = [];
  const overHttp: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    overHttp.push(await copyOverHttp(peer.endpoint, data.orgId));
    bare.push(await copyBare(gatehouse, data.orgId));
    passages.push(await exportAll(gatehouse, data.events));
  }
  const own = { name: 'Gatehouse', unit: 'per second', values: passages.map(({ perSecond }) => perSecond) } as const;
  const line = (name: string, values: readonly number[]): Result => ({
    work: 'log export by polling, 1,000 a page',
    gatehouse: own,
    beside: { name, unit: 'per second', values },
    target: { bound: 1, atLeast: true },
  });
  return [
    line('copy to stdout of the same rows, sent on by bare Fastify', overHttp),
    line("copy to stdout of the same rows over the database's socket", bare),
    {
      work: 'CPU of the server process, an event exported',
      gatehouse: { name: 'Gatehouse', unit: 'us', values: passages.map((passage) => passage.nodeMicroseconds) },
      beside: null,
      target: { bound: 6, atLeast: false },
    },
  ];
}

const run = async (options: RowOptions): Promise<readonly Result[]> =>
  measure(await logArena(options), options.sizes.logExports);

/** This row measures a collector that reads the whole log of an org, compared with COPY of the same rows. */
export const logExport: Row = {
  name: 'log-export',
  settings: ({ plain, sizes }) =>
    `${sizes.logEvents.toLocaleString('en-US')} events in one org among ${sizes.logSmallOrgs + 1}, one client, ` +
    `${plain ? 'plain HTTP' : 'HTTPS'} with keep-alive`,
  run,
};
