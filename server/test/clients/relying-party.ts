import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { TestResponse } from '../support/client.ts';
import type { Command, RelyingPartySettings, Report } from './relying-party-protocol.ts';

type Anything = TestResponse['body'];

export interface RelyingParty {
  readonly serve: (settings: RelyingPartySettings) => Promise<string>;
  /** Calls a function of @okta/okta-auth-js. Calls with the same options share one client. */
  readonly authJs: (options: object, path: string, ...given: readonly unknown[]) => Promise<Anything>;
  readonly verify: (options: object, path: string, ...given: readonly unknown[]) => Promise<Anything>;
  readonly close: () => Promise<void>;
}

const PROCESS = fileURLToPath(new URL('./relying-party-process.ts', import.meta.url));

function started(caFile: string): ChildProcess {
  return fork(PROCESS, [], {
    execArgv: ['--import', 'tsx'],
    env: { PATH: process.env['PATH'] ?? '', NODE_EXTRA_CA_CERTS: caFile },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** The port is free at the moment, but not reserved. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

export async function startRelyingParty(caFile: string): Promise<RelyingParty> {
  const child = started(caFile);
  const errors: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk));
  const waiting = new Map<number, (report: Report) => void>();
  child.on('message', (report: Report) => waiting.get(report.id)?.(report));
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the client's process ended: ${Buffer.concat(errors).toString('utf8')}`);
  });
  ended.catch(() => undefined);
  const reportOf = (id: number): Promise<Report> =>
    Promise.race([new Promise<Report>((resolve) => waiting.set(id, resolve)), ended]);
  await reportOf(0);
  let last = 0;

  async function ask(command: Command): Promise<unknown> {
    last += 1;
    const answered = reportOf(last);
    child.send({ id: last, command });
    const report = await answered;
    if ('error' in report) throw new Error(report.error);
    return report.result;
  }

  return {
    serve: async (settings) => {
      await ask({ kind: 'serve', settings });
      return `http://localhost:${settings.port}`;
    },
    authJs: (options, path, ...given) => ask({ kind: 'authJs', options, path, given }),
    verify: (options, path, ...given) => ask({ kind: 'verify', options, path, given }),
    close: async () => {
      ended.catch(() => undefined);
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
