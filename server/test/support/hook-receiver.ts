import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kernel/clock.ts';
import { openCertificateAuthority } from '../../src/platform/crypto/index.ts';
import { createOutbound, type Outbound, OutboundError } from '../../src/platform/outbound/index.ts';
import type { TestResponse } from './client.ts';
import type { TestOrg } from './service.ts';

type Body = TestResponse['body'];

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

type Answer = (request: ReceivedRequest, response: ServerResponse) => void;

/** Repeats the challenge of a verification, and answers every delivery with 204. */
export const takesAll: Answer = (request, response) => {
  const challenge = Object.entries(request.headers).find(([name]) => name.endsWith('-verification-challenge'))?.[1];
  if (request.method === 'GET') response.end(JSON.stringify({ verification: challenge }));
  else response.writeHead(204).end();
};

export interface HookReceiver {
  readonly port: number;
  readonly uri: (path?: string) => string;
  readonly requests: readonly ReceivedRequest[];
  readonly posts: (org: TestOrg) => ReceivedRequest[];
  /** Returns the bodies of deliveries that were answered with 2xx. */
  readonly taken: (org: TestOrg) => Body[];
  readonly events: (org: TestOrg) => Body[];
  readonly answerBy: (answer: Answer) => void;
  /** Returns an outgoing client that resolves the receiver's name and trusts its certificate. */
  readonly outbound: () => Outbound;
  readonly reset: () => void;
  readonly close: () => Promise<void>;
}

const NAME = 'hooks.example';

const isOf = ({ baseUrl }: TestOrg, { method, text }: ReceivedRequest): boolean =>
  method === 'POST' && String(JSON.parse(text).source).startsWith(`${baseUrl}/`);

/** Starts a real HTTPS server that stands in for the external program to which event hooks deliver. */
export async function startHookReceiver(): Promise<HookReceiver> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-hooks-'));
  const authority = await openCertificateAuthority(directory, systemClock);
  const { certificate, privateKey } = authority.issue([NAME, 'localhost', '127.0.0.1']);
  const requests: ReceivedRequest[] = [];
  const taken: ReceivedRequest[] = [];
  let answer = takesAll;
  const server = createServer({ cert: certificate, key: privateKey }, (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { headers, method = '', url = '' } = incoming;
      const request = { method, url, headers, text: Buffer.concat(chunks).toString('utf8') };
      requests.push(request);
      answer(request, response);
      if (method === 'POST' && response.headersSent && response.statusCode < 300) taken.push(request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    uri: (path = '/in') => `https://${NAME}:${port}${path}`,
    requests,
    posts: (org) => requests.filter((request) => isOf(org, request)),
    taken: (org) => taken.filter((request) => isOf(org, request)).map(({ text }) => JSON.parse(text)),
    events: (org) =>
      taken.filter((request) => isOf(org, request)).flatMap(({ text }) => JSON.parse(text).data.events as Body[]),
    answerBy: (given) => {
      answer = given;
    },
    outbound: () =>
      createOutbound({
        networks: ['127.0.0.0/8'],
        lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
        trustedAuthorities: [authority.certificate],
      }),
    reset: () => {
      requests.length = 0;
      taken.length = 0;
      answer = takesAll;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** An outgoing client whose `send` gets a 200 that repeats the challenge of a verification. */
export const repeatingOutbound: Outbound = {
  send: ({ headers }) => {
    const challenge = Object.entries(headers).find(([name]) => name.endsWith('-Verification-Challenge'))?.[1];
    const body = Buffer.from(JSON.stringify({ verification: challenge }));
    return Promise.resolve({ status: 200, headers: {}, body });
  },
  getJson: () => Promise.reject(new OutboundError('unreachable')),
  close: () => Promise.resolve(),
};

export const HOOKS = '/api/v1/eventHooks';
export const SECRET = 'Bearer 6f1f0f5b7a';

export const newHook = (uri: string, given: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  name: 'made by a test',
  events: { type: 'EVENT_TYPE', items: ['user.lifecycle.create'] },
  channel: {
    type: 'HTTP',
    version: '1.0.0',
    config: { uri, authScheme: { type: 'HEADER', key: 'Authorization', value: SECRET } },
  },
  ...given,
});

export async function createHook(org: TestOrg, body: Readonly<Record<string, unknown>>): Promise<Body> {
  const response = await org.admin.post(HOOKS, { body });
  if (response.status !== 200) throw new Error(`the hook was not created: ${response.text}`);
  return response.body;
}

export async function createVerifiedHook(org: TestOrg, body: Readonly<Record<string, unknown>>): Promise<Body> {
  const { id } = await createHook(org, body);
  const response = await org.admin.post(`${HOOKS}/${id}/lifecycle/verify`);
  if (response.status !== 200) throw new Error(`the hook was not verified: ${response.text}`);
  return response.body;
}

const PATIENCE_MILLISECONDS = 60_000;
const LOOK_MILLISECONDS = 20;

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MILLISECONDS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
}

const SIGNATURE = /^t=(\d{1,12}),v1=([\da-f]{64})$/;
const GOOD_FOR_SECONDS = 300;

/** Creates a check that accepts each delivery once, within 300 s of its signature. */
export function createDeliveryCheck(secret: string, now: () => Date) {
  const seen = new Set<string>();
  return (signature: string | undefined, text: string): 'taken' | 'forged' | 'old' | 'replayed' => {
    const [, seconds, mac] = SIGNATURE.exec(signature ?? '') ?? [];
    if (seconds === undefined || mac === undefined) return 'forged';
    const { eventId } = JSON.parse(text) as { eventId: string };
    const expected = createHmac('sha256', secret).update(`${seconds}.${eventId}.${text}`).digest();
    if (!timingSafeEqual(expected, Buffer.from(mac, 'hex'))) return 'forged';
    if (Math.abs(now().getTime() / 1_000 - Number(seconds)) > GOOD_FOR_SECONDS) return 'old';
    if (seen.has(eventId)) return 'replayed';
    seen.add(eventId);
    return 'taken';
  };
}
