import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import type { Application } from '../../app/application.ts';
import { InstallationError } from '../../installation/installation.ts';
import type { Context } from '../../kernel/context.ts';
import type { Config } from '../../settings/config.ts';
import {
  CSV_COLUMNS,
  connectionsOver,
  EXPORT_FORMATS,
  ExportError,
  type ExportFormat,
  type ExportPlan,
  type ExportRequest,
  exportHead,
  exportPages,
  findChainPlace,
  planExport,
} from '../../system-log/index.ts';
import { longOutput } from '../output/standard-output.ts';
import { commandContext, findOrg } from '../running/find-org.ts';
import { withLog } from '../running/session.ts';
import { ExportFile, type ExportState, planFacts, planOf, readState, requestFacts } from './export-file.ts';
import { instant, position, wrongUsage } from './log-arguments.ts';
import { progressOf } from './log-progress.ts';

interface ExportCommandOptions {
  readonly org?: string;
  readonly format?: ExportFormat;
  readonly since?: Date;
  readonly until?: Date;
  readonly fromPosition?: number;
  readonly toPosition?: number;
  readonly filter?: string;
  readonly output?: string;
  readonly resume?: boolean;
  readonly proof?: boolean;
}

interface Sink {
  /** Resolves to false when the reader has closed the output. */
  write(text: string): Promise<boolean>;
  /** If `isForced` is false, as after each page, the state need not be saved. */
  reached(state: Omit<ExportState, 'bytes'>, isForced: boolean): Promise<void>;
  close(): Promise<void>;
}

const requestOf = (options: ExportCommandOptions): ExportRequest => ({
  format: options.format ?? 'ndjson',
  proof: options.proof === true,
  filter: options.filter ?? null,
  since: options.since ?? null,
  until: options.until ?? null,
  fromPosition: options.fromPosition ?? null,
  toPosition: options.toPosition ?? null,
});

function checkUsage(options: ExportCommandOptions, command: Command): void {
  const isByTime = options.since !== undefined || options.until !== undefined;
  const isByPosition = options.fromPosition !== undefined || options.toPosition !== undefined;
  if (isByTime && isByPosition) wrongUsage(command, 'a range is either by time or by position');
  if (options.proof === true && options.format === 'csv') wrongUsage(command, '--proof needs --format ndjson');
  if (options.resume === true && options.output === undefined) wrongUsage(command, '--resume needs --output <file>');
}

function resumedRequest(options: ExportCommandOptions, state: ExportState): ExportRequest {
  const { request } = state;
  const given = requestFacts(requestOf(options));
  for (const name of Object.keys(request)) {
    const isGiven = name in options;
    if (isGiven && given[name] !== request[name]) {
      throw new InstallationError(
        `The export was started with ${name} ${String(request[name] ?? '(none)')}. Repeat that, or leave it out.`,
      );
    }
  }
  const text = (name: string) => (typeof request[name] === 'string' ? request[name] : null);
  const number = (name: string) => (typeof request[name] === 'number' ? request[name] : null);
  const date = (name: string) => (text(name) === null ? null : new Date(text(name) ?? 0));
  return {
    format: text('format') === 'csv' ? 'csv' : 'ndjson',
    proof: request['proof'] === true,
    filter: text('filter'),
    since: date('since'),
    until: date('until'),
    fromPosition: number('fromPosition'),
    toPosition: number('toPosition'),
  };
}

const standardOutput = (): Sink => {
  const output = longOutput();
  return { write: (text) => output.write(text), reached: async () => undefined, close: async () => undefined };
};

const fileSink = (file: ExportFile): Sink => ({
  write: async (text) => {
    await file.write(text);
    return true;
  },
  reached: (state, isForced) => file.save(state, isForced),
  close: () => file.close(),
});

interface Run {
  readonly application: Application;
  readonly context: Context;
  readonly name: string;
  readonly request: ExportRequest;
  readonly plan: ExportPlan;
  readonly sink: Sink;
  readonly earlier: ExportState | null;
}

async function recordPhase(
  { application, context, plan, request }: Run,
  phase: string,
  events?: number,
): Promise<void> {
  const facts = Object.entries(requestFacts(request)).filter(([, value]) => value !== null && value !== false);
  const debugData: Record<string, string> = {
    ...Object.fromEntries(facts.map(([name, value]) => [name, String(value)])),
    phase,
    firstPosition: String(plan.start.position + 1),
    lastPosition: String(plan.to),
    operator: userInfo().username,
    ...(events === undefined ? {} : { events: String(events) }),
  };
  await application.work(context, async (_tx, record) => record({ eventType: 'system.log.export', debugData }));
}

interface Written {
  /** The total number of events. If the reader closed the output, this may include a page that it read only in part. */
  readonly events: number;
  readonly isComplete: boolean;
}

/** Writes what earlier runs did not write of an export. Ends early if the reader closes the output. */
async function write(run: Run): Promise<Written> {
  const { application, context, earlier, plan, request, sink } = run;
  let events = earlier?.events ?? 0;
  const begun =
    earlier === null ? plan.start : { position: earlier.position, hash: Buffer.from(earlier.hash, 'base64url') };
  const stateAt = (place: { position: number; hash: Buffer }, complete: boolean): Omit<ExportState, 'bytes'> => ({
    version: 1,
    org: context.orgId,
    request: requestFacts(request),
    plan: planFacts(plan),
    position: place.position,
    hash: place.hash.toString('base64url'),
    events,
    complete,
  });
  const progress = progressOf(run.name, 'exported');
  let place = begun;
  if (earlier === null) {
    if (!(await sink.write(exportHead(context.orgId, request, plan)))) return { events, isComplete: false };
    await sink.reached(stateAt(place, false), true);
  }
  const connections = application.logReads.of(context.orgId);
  for await (const page of exportPages(connections, context.orgId, request, { start: begun, to: plan.to })) {
    events += page.events;
    if (!(await sink.write(page.text))) return { events, isComplete: false };
    place = page.place;
    await sink.reached(stateAt(place, false), false);
    progress(place.position, plan.to);
  }
  await sink.reached(stateAt(place, true), true);
  return { events, isComplete: true };
}

async function runExport(run: Run): Promise<void> {
  try {
    await recordPhase(run, run.earlier === null ? 'started' : 'resumed');
    const { events, isComplete } = await write(run);
    await recordPhase(run, isComplete ? 'completed' : 'abandoned', events);
    if (isComplete) process.stderr.write(`${run.name}: ${events} events up to position ${run.plan.to}.\n`);
  } finally {
    await run.sink.close();
  }
}

/** Throws InstallationError if the chain's hash at the last examined event is now different or missing. */
async function checkPlace(application: Application, context: Context, state: ExportState): Promise<void> {
  if (state.position === state.plan.start.position) return;
  const found = await findChainPlace(connectionsOver(application.pool), context.orgId, state.position);
  if (found?.hash.toString('base64url') === state.hash) return;
  throw new InstallationError(
    `The log now has a different event at position ${state.position} than when the file was written.`,
  );
}

async function begin(application: Application, context: Context, options: ExportCommandOptions, name: string) {
  const request = requestOf(options);
  const ports = { connections: connectionsOver(application.pool), db: application.db };
  const plan = await planExport(ports, context.orgId, request);
  const sink = options.output === undefined ? standardOutput() : fileSink(await ExportFile.create(options.output));
  await runExport({ application, context, name, request, plan, sink, earlier: null });
}

async function resume(application: Application, context: Context, options: ExportCommandOptions, name: string) {
  const path = options.output ?? '';
  const state = await readState(path);
  if (state.org !== context.orgId) throw new InstallationError(`${path} is an export of another org (${state.org}).`);
  const request = resumedRequest(options, state);
  if (state.complete) {
    process.stderr.write(`${name}: ${path} is complete: ${state.events} events.\n`);
    return;
  }
  await checkPlace(application, context, state);
  const sink = fileSink(await ExportFile.resume(path, state.bytes));
  await runExport({ application, context, name, request, plan: planOf(state), sink, earlier: state });
}

async function exportLog(options: ExportCommandOptions, command: Command): Promise<void> {
  checkUsage(options, command);
  await withLog(async (application, config: Config) => {
    const org = await findOrg(application.db, options.org);
    const context = commandContext(config, org);
    await (options.resume === true ? resume : begin)(application, context, options, org.subdomain);
  }).catch((error: unknown) => {
    if (error instanceof ExportError) throw new InstallationError(error.message);
    throw error;
  });
}

const HELP = `
--since (inclusive) and --until (exclusive) refer to the time an event was published; positions are inclusive.
You can export everything that the log still holds, even events older than the 90 days of GET /api/v1/logs. Events
written after the start are not included. ndjson contains the events byte for byte as they are stored.

csv is RFC 4180 in UTF-8. A cell that begins with = + - @, a tab or a carriage return gets a leading apostrophe, so that
no spreadsheet runs it. Values of several targets are joined by semicolons; debugData and target are JSON. Columns:
${CSV_COLUMNS.join(', ')}

--proof adds the data with which gatehouse log verify --file checks the file without a database. Events that a filter or
a range leaves out are represented by their digests only, which do not reveal their content.

--output also writes <file>.state. With --resume, an interrupted export continues; the result is byte for byte the same
as without the interruption. Each export is recorded in the log (system.log.export).
`;

export function addExportCommand(log: Command): void {
  log
    .command('export')
    .description('write the events of an org in order, to standard output or a file')
    .option('--org <subdomain>', 'the org; needed when there is more than one')
    .addOption(new Option('--format <format>', 'ndjson (default) or csv').choices(EXPORT_FORMATS))
    .option('--since <date-time>', 'only events published at this time or later', instant)
    .option('--until <date-time>', 'only events published before this time', instant)
    .option('--from-position <number>', 'only events from this position on', position)
    .option('--to-position <number>', 'only events up to this position', position)
    .option('--filter <expression>', 'only events that match, as in GET /api/v1/logs')
    .option('--output <file>', 'new file that only its owner can read')
    .option('--resume', 'continue an interrupted export')
    .option('--proof', 'add the data that verifies the file without a database')
    .addHelpText('after', HELP)
    .action(exportLog);
}
