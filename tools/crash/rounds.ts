import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestClient, type TestClient } from '../../server/test/support/client.ts';
import { insistent, type Look } from './call.ts';
import { Journal, type JournaledUser } from './journal.ts';
import { compare, LogReader } from './log-reader.ts';
import { SealerProcess } from './sealer-process.ts';
import { eventually, freePorts, type Launch, ServiceProcess } from './service-process.ts';
import { Writer } from './writer.ts';

/** SIGKILL for the server, SIGKILL for PostgreSQL, or a restart of PostgreSQL after a fast shutdown. */
export type ServiceBlow = 'killServer' | 'killDatabase' | 'restartDatabase';
/** The third blow is SIGKILL for the process that seals all events at once. */
export type Blow = ServiceBlow | 'killSealer';

export interface CrashTestOptions {
  readonly launch: Launch;
  readonly blows: readonly Blow[];
  readonly writers: number;
  /** The maximum time from a blow to the acknowledgement of the first change that was requested after the blow. */
  readonly recoveryLimitMilliseconds: number;
  readonly print: (line: string) => void;
}

export interface CrashReport {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly doubtful: number;
  readonly refusals: number;
  readonly events: number;
  /** The number of segments that were sealed meanwhile. */
  readonly segments: number;
  readonly recoveryMilliseconds: readonly number[];
  readonly faults: readonly string[];
}

const FEWEST_CHANGES_BEFORE = 20;
const LONGEST_LOAD_MILLISECONDS = 1_200;
const LOAD_AFTER_MILLISECONDS = 200;
const LOG_PATIENCE_MILLISECONDS = 60_000;
const VERIFICATIONS_AGAIN = 2;

interface Bench {
  readonly service: ServiceProcess;
  readonly journal: Journal;
  readonly client: TestClient;
  readonly writers: readonly Writer[];
  readonly reader: LogReader;
  readonly sealer: SealerProcess;
  readonly options: CrashTestOptions;
}

/** Returns the pid of the PostgreSQL server if the blow is aimed at it, or null if it is aimed at the service. */
export async function strike(service: ServiceProcess, blow: ServiceBlow): Promise<number | null> {
  if (blow === 'killServer') {
    await service.end('SIGKILL');
    service.launch();
    return null;
  }
  const pid = await service.postmasterPid();
  process.kill(pid, blow === 'killDatabase' ? 'SIGKILL' : 'SIGINT');
  return pid;
}

/**
 * Waits until a change is acknowledged that was requested after the blow. After a blow to PostgreSQL, the sessions of
 * the old server outlive it for a moment and may still commit, so only requests to the next server count.
 */
async function untilRecovered({ service, journal, options }: Bench, struckAt: number, ended: number | null) {
  let from = ended === null ? struckAt : Number.POSITIVE_INFINITY;
  return eventually('recovery', options.recoveryLimitMilliseconds, async () => {
    if (!service.isRunning) throw new Error(`the service ended:\n${service.output}`);
    const isNext = ended !== null && (await service.postmasterPid().catch(() => ended)) !== ended;
    if (isNext) from = Math.min(from, performance.now());
    return journal.lastRequestBegunAt > from ? performance.now() - struckAt : null;
  });
}

async function stateFault(look: Look, user: JournaledUser): Promise<string | null> {
  const response = await look(`/api/v1/users/${user.id}`);
  if (response.status !== 200) return `${user.id}: acknowledged, but ${response.status}`;
  const { profile, status } = response.body;
  const found = { nickName: profile.nickName, status };
  const isKept = found.nickName === user.state.nickName && found.status === user.state.status;
  return isKept ? null : `${user.id}: ${JSON.stringify(found)} instead of ${JSON.stringify(user.state)}`;
}

/** Compares the users with the journal. */
export async function stateFaults({ client, journal }: Pick<Bench, 'client' | 'journal'>): Promise<string[]> {
  const faults: string[] = [];
  // On a busy machine, a server may be unavailable for a moment without a blow.
  const look = insistent(client);
  const users = [...journal.users.values()];
  for (let from = 0; from < users.length; from += 20) {
    const found = await Promise.all(users.slice(from, from + 20).map((user) => stateFault(look, user)));
    faults.push(...found.filter((fault) => fault !== null));
  }
  return faults;
}

/** Reads the log until it contains the expected number of events, then compares it with the journal. */
export async function logFaults({ journal, reader }: Pick<Bench, 'journal' | 'reader'>): Promise<string[]> {
  const expected = journal.expectedEvents;
  const caughtUp = eventually('the log', LOG_PATIENCE_MILLISECONDS, async () => {
    const complete = await reader.readOn();
    return complete && reader.count >= expected ? true : null;
  });
  const late = await caughtUp.then(
    () => [],
    () => [`the log has ${reader.count} events, expected are ${expected}`],
  );
  return [...late, ...reader.faults, ...compare(journal, reader)];
}

interface VerifyRow {
  readonly org: string;
  readonly result: string;
  readonly verified: number;
  readonly head: string;
}

/** Checks that, in every org, `gatehouse log verify` verifies as many events as the position of the head says. */
export async function chainFaults(service: ServiceProcess): Promise<string[]> {
  let { status, output } = await service.cli('log', 'verify', '--json');
  // The database may be unavailable for a moment without a blow. What does not verify fails each time.
  for (let again = 0; status !== 0 && again < VERIFICATIONS_AGAIN; again += 1)
    ({ status, output } = await service.cli('log', 'verify', '--json'));
  if (status !== 0) return [`gatehouse log verify: exit code ${status}: ${output}`];
  const rows = JSON.parse(output) as readonly VerifyRow[];
  if (rows.length === 0) return ['gatehouse log verify found no org'];
  return rows
    .filter((row) => Number(row.head.split(':')[0]) !== row.verified)
    .map((row) => `${row.org}: ${row.verified} events, the head is at ${row.head}`);
}

async function strikeOne({ sealer, service }: Bench, blow: Blow): Promise<number | null> {
  if (blow !== 'killSealer') return strike(service, blow);
  await sealer.kill();
  sealer.launch();
  return null;
}

/** Runs one round. `recovery` is in milliseconds. */
async function round(bench: Bench, blow: Blow): Promise<{ recovery: number; faults: string[] }> {
  const { service, journal, sealer, writers } = bench;
  const before = journal.acknowledged;
  const running = Promise.all(writers.map((writer) => writer.run()));
  const finish = async (): Promise<void> => {
    for (const writer of writers) writer.stop();
    await running;
  };
  await eventually('load', 30_000, async () => (journal.acknowledged - before > FEWEST_CHANGES_BEFORE ? true : null));
  await delay(randomInt(LONGEST_LOAD_MILLISECONDS));
  const struckAt = performance.now();
  const ended = await strikeOne(bench, blow);
  const recovery = await untilRecovered(bench, struckAt, ended);
  await delay(LOAD_AFTER_MILLISECONDS);
  await finish();
  await service.untilReady();
  const faults = [...(await stateFaults(bench)), ...(await logFaults(bench)), ...(await chainFaults(service))];
  return { recovery, faults: [...journal.faults.splice(0), ...sealer.faults.splice(0), ...faults] };
}

async function openBench(
  service: ServiceProcess,
  sealer: SealerProcess,
  options: CrashTestOptions,
  port: number,
): Promise<Bench> {
  const since = new Date();
  const { apiToken, caFile, baseUrl } = await service.bootstrap();
  const ca = readFileSync(caFile, 'utf8');
  const newClient = () =>
    createTestClient({ port, hostname: 'localhost', ca, headers: { authorization: `SSWS ${apiToken}` } });
  const journal = new Journal();
  const client = newClient();
  const writers = Array.from({ length: options.writers }, () => new Writer(newClient(), journal));
  return { service, journal, client, writers, reader: new LogReader(client, baseUrl, since), sealer, options };
}

/** Runs the rounds until the first one with a fault. */
export async function runCrashTest(options: CrashTestOptions): Promise<CrashReport> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-crash-'));
  // If this process runs as root, PostgreSQL runs as another user, which must be able to enter the folder.
  chmodSync(directory, 0o755);
  const [port = 0, managementPort = 0] = await freePorts(2);
  const dataDirectory = join(directory, 'data');
  const service = new ServiceProcess({ launch: options.launch, dataDirectory, port, managementPort });
  const sealer = new SealerProcess(dataDirectory);
  const recoveryMilliseconds: number[] = [];
  const faults: string[] = [];
  try {
    await service.start();
    sealer.launch();
    const bench = await openBench(service, sealer, options, port);
    for (const [index, blow] of options.blows.entries()) {
      const result = await round(bench, blow);
      recoveryMilliseconds.push(result.recovery);
      faults.push(...result.faults);
      const { acknowledged, doubtful } = bench.journal;
      const state = result.faults.length === 0 ? 'good' : `${result.faults.length} FAULTS`;
      const recovered = `recovered in ${Math.round(result.recovery)} ms`;
      options.print(
        `round ${index + 1} ${blow}: ${recovered}, ${acknowledged} changes, ${doubtful} in doubt, ${state}`,
      );
      if (faults.length > 0) break;
    }
    const { acknowledged, doubtful, refusals, expectedEvents } = bench.journal;
    const rounds = recoveryMilliseconds.length;
    const { segments } = sealer;
    return { rounds, acknowledged, doubtful, refusals, events: expectedEvents, segments, recoveryMilliseconds, faults };
  } finally {
    await sealer.kill();
    const pid = await service.postmasterPid().catch(() => null);
    await service.end('SIGTERM');
    await untilGone(pid);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Waits until a PostgreSQL server has ended, so that its folder can be removed. */
export async function untilGone(pid: number | null): Promise<void> {
  if (pid === null) return;
  const isGone = (): boolean => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  };
  await eventually('the end of PostgreSQL', 30_000, async () => (isGone() ? true : null));
}
