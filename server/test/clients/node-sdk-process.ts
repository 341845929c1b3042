import { mock } from 'node:test';
import okta from '@okta/okta-sdk-nodejs';
import type { Command, Models, Outcome, Report } from './node-sdk-protocol.ts';

// This program runs the published SDK in a separate process, because NODE_EXTRA_CA_CERTS is read only at the start of
// a process.

const report = (message: Report): void => {
  process.send?.(message);
};

interface SdkRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

function createExecutor(): okta.DefaultRequestExecutor {
  const executor = new okta.DefaultRequestExecutor();
  executor.on('request', ({ url, method, headers }: SdkRequest) => {
    report({ kind: 'request', request: { url, method: method.toUpperCase(), headers: { ...headers } } });
  });
  executor.on('backoff', (_request: unknown, _response: unknown, requestId: string, milliseconds: number) => {
    report({ kind: 'backoff', requestId, milliseconds });
  });
  return executor;
}

const client = new okta.Client({ requestExecutor: createExecutor() });

async function invoke(method: string, argument: unknown): Promise<unknown> {
  const [api = '', name = ''] = method.split('.');
  const target: unknown = Reflect.get(client, api);
  if (typeof target !== 'object' || target === null) throw new Error(`the SDK has no ${api}`);
  const call: unknown = Reflect.get(target, name);
  if (typeof call !== 'function') throw new Error(`the SDK has no ${method}`);
  return (await Reflect.apply(call, target, [argument])) as unknown;
}

async function invokeForMany(method: string, argument: unknown): Promise<okta.Collection<unknown>> {
  const collection = await invoke(method, argument);
  if (collection instanceof okta.Collection) return collection as okta.Collection<unknown>;
  throw new Error(`${method} gives no collection`);
}

async function itemsOf(collection: okta.Collection<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  await collection.each((item) => {
    items.push(item);
  });
  return items;
}

const collect = async (method: string, argument: unknown): Promise<unknown[]> =>
  itemsOf(await invokeForMany(method, argument));

/** Calls a method and reads a returned collection, because a collection sends no request before it is read. */
async function callAndRead(method: string, argument: unknown): Promise<unknown> {
  const result = await invoke(method, argument);
  return result instanceof okta.Collection ? itemsOf(result as okta.Collection<unknown>) : result;
}

const classOf = (value: object): string => value.constructor.name;

function modelsOf(item: unknown): Models {
  if (typeof item !== 'object' || item === null) throw new Error(`${String(item)} is of no class`);
  const members = Object.entries(item).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null ? [[name, classOf(value)] as const] : [],
  );
  return { item: classOf(item), members: Object.fromEntries(members) };
}

async function models(method: string, argument: unknown): Promise<Models[]> {
  const result = await invoke(method, argument);
  if (!(result instanceof okta.Collection)) return [modelsOf(result)];
  const found: Models[] = [];
  await result.each((item: unknown) => {
    found.push(modelsOf(item));
  });
  return found;
}

const PAUSE_AFTER_ERROR_MILLISECONDS = 1_000;

async function subscribe(method: string, argument: unknown): Promise<void> {
  (await invokeForMany(method, argument)).subscribe({
    interval: 5_000,
    next: (item: unknown) => report({ kind: 'item', item }),
    // The SDK awaits this promise. Without the pause, it would retry at once while the service is down.
    error: (error: Error) => {
      report({ kind: 'subscriptionError', message: error.message });
      return new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_ERROR_MILLISECONDS));
    },
    complete: () => undefined,
  });
}

async function run(command: Command): Promise<unknown> {
  if (command.kind === 'tick') return mock.timers.tick(command.milliseconds);
  const { kind, method, argument } = command;
  if (kind === 'collect') return collect(method, argument);
  if (kind === 'models') return models(method, argument);
  return kind === 'call' ? callAndRead(method, argument) : subscribe(method, argument);
}

/** Converts the SDK's error to plain data, because a message would lose its class and most of its members. */
function failureOf(error: unknown): Outcome {
  if (!(error instanceof Error)) return { failure: { name: 'unknown', message: String(error) } };
  const members = Object.fromEntries(Object.entries(error));
  return { failure: { ...members, name: error.constructor.name, message: error.message } };
}

async function outcomeOf(command: Command): Promise<Outcome> {
  try {
    return { result: (await run(command)) ?? null };
  } catch (error) {
    return failureOf(error);
  }
}

mock.timers.enable({ apis: ['setTimeout'] });
process.on('message', (message: { id: number; command: Command }) => {
  void outcomeOf(message.command).then((outcome) => report({ kind: 'outcome', id: message.id, outcome }));
});
process.on('disconnect', () => process.exit(0));
report({ kind: 'ready' });
