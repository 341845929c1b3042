import { randomInt, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestClient, type TestClient } from '../../server/test/support/client.ts';
import { insistent, type Look, requestIdOf, type Script } from './call.ts';
import { acknowledgedFaults, lostFaults, patternOf, stateFaults } from './call-check.ts';
import { CallClient, CallJournal } from './call-client.ts';
import { CallLog } from './call-log.ts';
import { SCRIPTS } from './call-scripts.ts';
import { chainFaults, type ServiceBlow, strike, untilGone } from './rounds.ts';
import { eventually, freePorts, type Launch, ServiceProcess } from './service-process.ts';

export interface CallTestOptions {
  readonly launch: Launch;
  readonly rounds: number;
  readonly blows: readonly ServiceBlow[];
  readonly clients: number;
  /** The longest time from the start of the load to the kill. */
  readonly longestLoadMilliseconds?: number;
  /** If the list is empty or absent, all scripts run. */
  readonly scripts?: readonly string[];
  readonly print: (line: string) => void;
}

export interface CallReport {
  readonly rounds: number;
  readonly acknowledged: number;
  /** The number of calls that were not answered, or were answered with 503. */
  readonly lost: number;
  readonly happened: number;
  readonly events: number;
  readonly totals: ReadonlyMap<string, { readonly acknowledged: number; readonly lost: number }>;
  readonly faults: readonly string[];
}

const LOG_PATIENCE_MILLISECONDS = 30_000;
const SHORTEST_LOAD_MILLISECONDS = 300;
const LONGEST_LOAD_MILLISECONDS = 1_500;

interface Bench {
  readonly service: ServiceProcess;
  readonly admin: TestClient;
  readonly journal: CallJournal;
  readonly clients: readonly CallClient[];
  readonly log: CallLog;
  readonly look: Look;
  readonly patterns: Map<string, Set<string>>;
  readonly scripts: readonly Script[];
  readonly longestLoadMilliseconds: number;
  /** The ids of requests whose events cannot come from an unanswered call. */
  readonly answered: Set<string>;
}

/** Runs each script once without kills, to learn the events of each operation. */
async function learn(bench: Bench): Promise<string[]> {
  const { clients, journal, log, patterns, scripts } = bench;
  const [client] = clients;
  for (const script of scripts) {
    let isFirst = true;
    await client?.run(() => {
      if (!isFirst) client.stop();
      isFirst = false;
      return script;
    });
  }
  await settle(bench);
  for (const { call, requestId } of journal.acknowledged) {
    const found = log.transactions.get(requestId ?? '');
    const known = patterns.get(call.operation) ?? new Set();
    patterns.set(call.operation, known.add(found === undefined ? '' : patternOf(found)));
  }
  const faults = journal.faults.splice(0);
  journal.clear();
  return faults;
}

/** Makes a change and reads the log up to the event of this change, which comes after the events of earlier changes. */
async function settle({ admin, journal, answered, log, service }: Bench): Promise<void> {
  for (const { requestId } of journal.acknowledged) if (requestId !== null) answered.add(requestId);
  await service.untilReady();
  const mark = await eventually('a change', LOG_PATIENCE_MILLISECONDS, async () => {
    const login = `${randomUUID()}@example.com`;
    const body = { profile: { firstName: 'Settled', lastName: 'Test', login, email: login } };
    const response = await admin.post('/api/v1/users', { body }).catch(() => null);
    return response?.status === 200 ? requestIdOf(response) : null;
  });
  await eventually('the log', LOG_PATIENCE_MILLISECONDS, async () => {
    await log.readOn();
    return log.transactions.has(mark) ? true : null;
  });
  answered.add(mark);
}

/** An org may have only a few of the objects in these lists, so each round begins by deleting them. */
const BOUNDED = ['/api/v1/logStreams', '/api/v1/eventHooks'];

async function clearAway({ admin, answered, look }: Bench): Promise<void> {
  const send = async (method: string, path: string): Promise<void> => {
    const response = await admin.send(method, path);
    answered.add(requestIdOf(response) ?? '');
  };
  for (const list of BOUNDED) {
    for (const { id } of (await look(list)).body as readonly { id: string }[]) {
      await send('POST', `${list}/${id}/lifecycle/deactivate`);
      await send('DELETE', `${list}/${id}`);
    }
  }
}

async function load({ clients, longestLoadMilliseconds, scripts }: Bench, blow: () => Promise<void>): Promise<void> {
  const next = (): Script => {
    const script = scripts[randomInt(scripts.length)];
    if (script === undefined) throw new Error('there are no scripts');
    return script;
  };
  const running = Promise.all(clients.map((client) => client.run(next)));
  await delay(randomInt(SHORTEST_LOAD_MILLISECONDS, longestLoadMilliseconds));
  await blow();
  // Clients that lost a response have ended. The other clients must be stopped.
  for (const client of clients) client.stop();
  await running;
}

async function round(bench: Bench, blow: ServiceBlow): Promise<{ faults: string[]; happened: number }> {
  const { answered, clients, journal, log, look, patterns, service } = bench;
  await clearAway(bench);
  await load(bench, async () => void (await strike(service, blow)));
  await settle(bench);
  const lost = await lostFaults({ lost: journal.lost, answered }, log, patterns, look);
  // A lost call that took effect may have undone the last acknowledged call.
  const standing = clients.filter((client) => client.lost === null || !lost.happened.has(client.lost));
  const last = standing.flatMap(({ lastAcknowledged }) => (lastAcknowledged === null ? [] : [lastAcknowledged]));
  const faults = [
    ...journal.faults,
    ...log.faults.splice(0),
    ...acknowledgedFaults(journal.acknowledged, log, patterns),
    ...lost.faults,
    ...(await stateFaults(last, look)),
    ...(await chainFaults(service)),
  ];
  journal.clear();
  for (const id of log.transactions.keys()) answered.add(id);
  log.transactions.clear();
  return { faults, happened: lost.happened.size };
}

async function openBench(service: ServiceProcess, options: CallTestOptions, port: number): Promise<Bench> {
  const since = new Date();
  const { apiToken, baseUrl, caFile } = await service.bootstrap();
  const ca = readFileSync(caFile, 'utf8');
  const newClient = (headers: Readonly<Record<string, string>>) =>
    createTestClient({ port, hostname: 'localhost', ca, headers });
  const newAdmin = () => newClient({ authorization: `SSWS ${apiToken}` });
  const admin = newAdmin();
  const look = insistent(admin);
  const adminUserId = String((await look('/api/v1/users/me')).body.id);
  const journal = new CallJournal();
  const clients = Array.from(
    { length: options.clients },
    () => new CallClient({ admin: newAdmin(), anonymous: newClient({}) }, journal, adminUserId),
  );
  const names = options.scripts ?? [];
  const scripts = SCRIPTS.filter(({ name }) => names.length === 0 || names.includes(name));
  const log = new CallLog(admin, baseUrl, since);
  const { longestLoadMilliseconds = LONGEST_LOAD_MILLISECONDS } = options;
  const learnt = { patterns: new Map(), answered: new Set<string>() };
  return { service, admin, journal, clients, log, look, scripts, longestLoadMilliseconds, ...learnt };
}

async function runRounds(bench: Bench, options: CallTestOptions): Promise<CallReport> {
  const { journal, log } = bench;
  const faults = await learn(bench);
  let happened = 0;
  let rounds = 0;
  while (rounds < options.rounds && faults.length === 0) {
    const blow = options.blows[rounds % options.blows.length] ?? 'killServer';
    const result = await round(bench, blow);
    rounds += 1;
    happened += result.happened;
    faults.push(...result.faults);
    const state = result.faults.length === 0 ? 'good' : `${result.faults.length} FAULTS`;
    const sums = `${journal.sum('acknowledged')} acknowledged, ${journal.sum('lost')} lost`;
    options.print(`round ${rounds} ${blow}: ${sums}, of these ${happened} had happened, ${state}`);
  }
  const [acknowledged, lost] = [journal.sum('acknowledged'), journal.sum('lost')];
  return { rounds, acknowledged, lost, happened, events: log.events, totals: journal.totals, faults };
}

export async function runCallTest(options: CallTestOptions): Promise<CallReport> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-calls-'));
  // If this process runs as root, PostgreSQL runs as another user, which must be able to enter the folder.
  chmodSync(directory, 0o755);
  const [port = 0, managementPort = 0] = await freePorts(2);
  const dataDirectory = join(directory, 'data');
  const service = new ServiceProcess({ launch: options.launch, dataDirectory, port, managementPort });
  try {
    await service.start();
    return await runRounds(await openBench(service, options, port), options);
  } finally {
    const pid = await service.postmasterPid().catch(() => null);
    await service.end('SIGTERM');
    await untilGone(pid);
    rmSync(directory, { recursive: true, force: true });
  }
}
