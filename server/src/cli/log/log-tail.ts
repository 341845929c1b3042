import { type Command, InvalidArgumentError } from 'commander';
import { connectionsOver, followLog, readTail } from '../../system-log/index.ts';
import { printable } from '../output/output.ts';
import { longOutput } from '../output/standard-output.ts';
import { findOrg } from '../running/find-org.ts';
import { withLog } from '../running/session.ts';

interface TailCommandOptions {
  readonly org?: string;
  readonly follow?: boolean;
  readonly filter?: string;
  readonly lines: number;
  readonly json?: boolean;
}

const MOST = 10_000;

function lineCount(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= MOST)) throw new InvalidArgumentError(`must be a whole number from 0 to ${MOST}`);
  return value;
}

const at = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : null;

const textAt = (value: unknown, ...names: readonly string[]): string => {
  const found = names.map((name) => at(value, name)).find((text) => typeof text === 'string' && text !== '');
  return typeof found === 'string' ? found : '-';
};

export function eventLine(body: string): string {
  const event: unknown = JSON.parse(body);
  const targets: unknown = at(event, 'target');
  const list: readonly unknown[] = Array.isArray(targets) ? targets : [];
  const [first] = list;
  const target =
    first === undefined ? '-' : `${textAt(first, 'type')}:${textAt(first, 'alternateId', 'displayName', 'id')}`;
  const more = list.length > 1 ? ` +${list.length - 1}` : '';
  const outcome: unknown = at(event, 'outcome');
  const reason = textAt(outcome, 'reason');
  const cells = [
    textAt(event, 'published'),
    textAt(event, 'severity').padEnd(5),
    textAt(event, 'eventType'),
    textAt(at(event, 'actor'), 'alternateId', 'id'),
    '->',
    target + more,
    textAt(outcome, 'result') + (reason === '-' ? '' : ` (${reason})`),
  ];
  return printable(cells.join('  '));
}

/** Returns a signal that SIGINT, SIGTERM or a closed output aborts. */
function untilStopped(gone: AbortSignal): AbortSignal {
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop);
  gone.addEventListener('abort', stop, { once: true });
  if (gone.aborted) stop();
  return stopped.signal;
}

async function tail(options: TailCommandOptions): Promise<void> {
  const output = longOutput();
  const signal = options.follow === true ? untilStopped(output.gone) : output.gone;
  const filter = options.filter ?? null;
  const textOf = (bodies: readonly string[]): string =>
    bodies.map((body) => `${options.json === true ? body : eventLine(body)}\n`).join('');
  await withLog(async ({ db, pool }) => {
    const { id } = await findOrg(db, options.org);
    const connections = connectionsOver(pool);
    const newest = await readTail(connections, id, { filter, count: options.lines });
    if (newest.bodies.length > 0 && !(await output.write(textOf(newest.bodies)))) return;
    if (options.follow !== true) return;
    for await (const bodies of followLog(connections, id, { filter, position: newest.position }, signal)) {
      if (!(await output.write(textOf(bodies)))) return;
    }
  });
}

export function addTailCommand(log: Command): void {
  log
    .command('tail')
    .description('show the newest events of an org')
    .option('--org <subdomain>', 'the org; needed when there is more than one')
    .option('-f, --follow', 'keep printing new events until interrupted')
    .option('-n, --lines <count>', 'number of events', lineCount, 10)
    .option('--filter <expression>', 'only events that match, as in GET /api/v1/logs')
    .option('--json', 'print events as they are stored, one per line')
    .action(tail);
}
