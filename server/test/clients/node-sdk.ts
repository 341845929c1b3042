import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestResponse } from '../support/client.ts';
import type { TestService } from '../support/service.ts';
import type { Command, Models, Outcome, Report, SdkFailure, SentRequest } from './node-sdk-protocol.ts';

export class SdkError extends Error {
  readonly failure: SdkFailure;

  constructor(failure: SdkFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

type Anything = TestResponse['body'];

export interface NodeSdk {
  readonly call: (method: string, argument?: unknown) => Promise<Anything>;
  readonly collect: (method: string, argument?: unknown) => Promise<Anything[]>;
  /** Returns the classes of the models that a call or a collection returns. */
  readonly models: (method: string, argument?: unknown) => Promise<Models[]>;
  readonly subscribe: (method: string, argument?: unknown) => Promise<void>;
  /** Advances the SDK's timers, so that the SDK stops waiting. */
  readonly tick: (milliseconds: number) => Promise<void>;
  readonly refusal: (method: string, argument?: unknown) => Promise<SdkFailure>;
  readonly reports: readonly Report[];
  /** Resolves with the first report that satisfies the condition, even if that report was made earlier. */
  readonly until: <Kind extends Report['kind']>(
    kind: Kind,
    satisfies?: (report: Extract<Report, { kind: Kind }>) => boolean,
  ) => Promise<Extract<Report, { kind: Kind }>>;
  readonly requests: () => readonly SentRequest[];
  readonly close: () => Promise<void>;
}

export interface NodeSdkOptions {
  readonly orgUrl: string;
  /** An API token, or the settings with which the SDK gets access tokens for a service app. */
  readonly token: string | SdkClient;
  readonly caFile: string;
}

export interface SdkClient {
  readonly clientId: string;
  /** A key as PEM, or as a JWK in JSON. */
  readonly privateKey: string;
  readonly keyId?: string;
  readonly scopes: string;
}

function credentialsOf({ token }: NodeSdkOptions): Record<string, string> {
  if (typeof token === 'string') return { OKTA_CLIENT_TOKEN: token };
  return {
    OKTA_CLIENT_AUTHORIZATIONMODE: 'PrivateKey',
    OKTA_CLIENT_CLIENTID: token.clientId,
    OKTA_CLIENT_PRIVATEKEY: token.privateKey,
    OKTA_CLIENT_SCOPES: token.scopes,
    ...(token.keyId === undefined ? {} : { OKTA_CLIENT_KEYID: token.keyId }),
  };
}

const PATIENCE_MILLISECONDS = 60_000;
const PROCESS = fileURLToPath(new URL('./node-sdk-process.ts', import.meta.url));

function forkSdk(options: NodeSdkOptions): ChildProcess {
  return fork(PROCESS, [], {
    execArgv: ['--import', 'tsx'],
    // Dates stay Date objects, so that tests can send back the objects that the SDK has read.
    serialization: 'advanced',
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_EXTRA_CA_CERTS: options.caFile,
      OKTA_CLIENT_ORGURL: options.orgUrl,
      ...credentialsOf(options),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

function listenTo(child: ChildProcess): Pick<NodeSdk, 'reports' | 'until'> {
  const reports: Report[] = [];
  const waiting = new Set<() => void>();
  const errors: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk));
  child.on('message', (report: Report) => {
    reports.push(report);
    for (const look of waiting) look();
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the SDK's process ended: ${Buffer.concat(errors).toString('utf8')}`);
  });
  ended.catch(() => undefined);

  const until: NodeSdk['until'] = async (kind, satisfies = () => true) => {
    type Wanted = Extract<Report, { kind: typeof kind }>;
    const find = () => reports.find((one): one is Wanted => one.kind === kind && satisfies(one as Wanted));
    let look: () => void = () => undefined;
    let timer: NodeJS.Timeout | undefined;
    const found = new Promise<Wanted>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`the SDK did not report ${kind}`)), PATIENCE_MILLISECONDS);
      look = () => {
        const report = find();
        if (report !== undefined) resolve(report);
      };
      waiting.add(look);
      look();
    });
    return Promise.race([found, ended]).finally(() => {
      clearTimeout(timer);
      waiting.delete(look);
    });
  };
  return { reports, until };
}

/** Starts the SDK in a process that trusts the given CA in addition to the usual ones. */
export async function startNodeSdk(options: NodeSdkOptions): Promise<NodeSdk> {
  const child = forkSdk(options);
  const { reports, until } = listenTo(child);
  let commands = 0;
  const send = async (command: Command): Promise<Outcome> => {
    commands += 1;
    const id = commands;
    child.send({ id, command });
    return (await until('outcome', (report) => report.id === id)).outcome;
  };
  const ask = async (command: Command): Promise<Anything> => {
    const outcome = await send(command);
    if ('failure' in outcome) throw new SdkError(outcome.failure);
    return outcome.result;
  };

  await until('ready');
  return {
    reports,
    until,
    call: (method, argument = {}) => ask({ kind: 'call', method, argument }),
    collect: async (method, argument = {}) => (await ask({ kind: 'collect', method, argument })) as Anything[],
    models: async (method, argument = {}) => (await ask({ kind: 'models', method, argument })) as Models[],
    subscribe: async (method, argument = {}) => void (await ask({ kind: 'subscribe', method, argument })),
    tick: async (milliseconds) => void (await ask({ kind: 'tick', milliseconds })),
    refusal: async (method, argument = {}) => {
      const outcome = await send({ kind: 'call', method, argument });
      if ('failure' in outcome) return outcome.failure;
      throw new Error(`${method} was not refused`);
    },
    requests: () => reports.flatMap((report) => (report.kind === 'request' ? [report.request] : [])),
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

export const startAdministratorsSdk = ({ caFile, org, port }: TestService): Promise<NodeSdk> =>
  startNodeSdk({ orgUrl: `https://localhost:${port}`, token: org.adminToken, caFile });
