import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/words/ids.ts';
import { sealStreamSecret } from '../../src/management/log-streams/settings/stream-secret.ts';
import type { LogStreamSettings } from '../../src/management/log-streams/settings/stream-types-rules.ts';
import { masterKeyOf, openCertificateAuthority } from '../../src/platform/crypto/index.ts';
import { createOutbound, type Outbound } from '../../src/platform/outbound/index.ts';
import { startSink } from '../../src/system-log/index.ts';
import { SINK_JOB } from '../../src/system-log/sinks/change-sink.ts';
import type { TestDatabase } from './database.ts';
import { until } from './hook-receiver.ts';
import type { TestOrg, TestService } from './service.ts';

export interface ReceivedBatch {
  readonly host: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly raw: Buffer;
  readonly text: string;
}

export type Answer = (request: ReceivedBatch, response: ServerResponse) => void;

export const SPLUNK_HOST = 'acme.splunk.example';
export const HTTPS_HOST = 'logs.example';
export const EVENTS_HOST = 'events.example';
export const SECRET = '0b5c6f4e-8f6d-4a57-9a3b-5f9d1a7c2e10';
export const AWS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'aws secret of a test', sessionToken: 'aws token' };

export const SETTINGS = {
  splunk: { type: 'splunk_cloud_logstreaming', host: SPLUNK_HOST, edition: 'aws' },
  eventBridge: {
    type: 'aws_eventbridge',
    accountId: '123456789012',
    eventSourceName: 'acme-log',
    region: 'eu-west-1',
  },
  https: { type: 'https_ndjson', url: `https://${HTTPS_HOST}/in`, gzip: false },
  file: { type: 'file_ndjson', maximumMegabytes: 1, maximumFiles: 3 },
} as const satisfies Record<string, LogStreamSettings>;

/** Accepts a batch with the response that the real host would send. */
export const takesAll: Answer = ({ host }, response) => {
  const body = { [HTTPS_HOST]: '', [EVENTS_HOST]: '{"FailedEntryCount":0,"Entries":[]}' }[host];
  response.writeHead(200, { 'content-type': 'application/json' }).end(body ?? '{"text":"Success","code":0}');
};

export interface LogStreamReceiver {
  readonly eventBridgeUrl: string;
  readonly requests: readonly ReceivedBatch[];
  readonly taken: readonly ReceivedBatch[];
  readonly answerBy: (answer: Answer) => void;
  /** Returns an `Outbound` that trusts the receiver's certificate and reaches the receiver by URLs without a port. */
  readonly outbound: () => Outbound;
  readonly reset: () => void;
  readonly close: () => Promise<void>;
}

const bare = (host = ''): string => host.replace(/:\d+$/, '');

/** Removes the streams of earlier tests, and waits until no delivery is under way. */
export async function removeStreams({ pool }: TestDatabase): Promise<void> {
  for (const table of ['log_streams', 'log_sinks']) await pool.query(`delete from ${table}`);
  const text = 'select from jobs where kind = $1 and lease_until is not null';
  await until('the end of deliveries', async () => (await pool.query(text, [SINK_JOB])).rowCount === 0);
}

/** Starts a real HTTPS server that stands in for Splunk, EventBridge and a private collector. */
export async function startLogStreamReceiver(): Promise<LogStreamReceiver> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-streams-'));
  const authority = await openCertificateAuthority(directory, systemClock);
  const names = [HTTPS_HOST, EVENTS_HOST, `http-inputs-${SPLUNK_HOST}`, `http-inputs.${SPLUNK_HOST}`];
  const { certificate, privateKey } = authority.issue(names);
  const requests: ReceivedBatch[] = [];
  const taken: ReceivedBatch[] = [];
  let answer = takesAll;
  const server = createServer({ cert: certificate, key: privateKey }, (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { headers, url = '' } = incoming;
      const raw = Buffer.concat(chunks);
      const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString('utf8');
      const request = { host: bare(headers.host), url, headers, raw, text };
      requests.push(request);
      const given = answer;
      given(request, response);
      if (given === takesAll) taken.push(request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    eventBridgeUrl: `https://${EVENTS_HOST}:${port}/`,
    requests,
    taken,
    answerBy: (given) => {
      answer = given;
    },
    outbound: () => {
      const real = createOutbound({
        networks: ['127.0.0.0/8'],
        lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
        trustedAuthorities: [authority.certificate],
      });
      const atPort = (url: string): string => url.replace(/^(https:\/\/[^:/]+)\//, `$1:${port}/`);
      return { ...real, send: (request) => real.send({ ...request, url: atPort(request.url) }) };
    },
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

/** Stores an active stream of the org, as activation would leave it. */
export async function openStream(
  service: TestService,
  org: TestOrg,
  settings: LogStreamSettings,
  secret: string | null = SECRET,
): Promise<string> {
  await service.drained();
  const id = newId('logStream', org.id);
  const sealed = secret === null ? null : sealStreamSecret(masterKeyOf(Buffer.alloc(32, 7)), org.id, id, secret);
  await service.database.pool.query(
    `insert into log_streams (org_id, id, type, name, status, settings, sealed_secret, created_at, last_updated_at)
     values ($1, $2, $3, $4, 'ACTIVE', $5, $6, $7, $7)`,
    [org.id, id, settings.type, `stream ${id}`, JSON.stringify(settings), sealed, service.clock.now()],
  );
  await startSink(service.database.db, org.id, { id, kind: 'log_stream' });
  return id;
}

export async function ledgerOf(service: TestService, org: TestOrg, position = 0): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ body: string }>(
    'select body::text as body from log_unsealed where org_id = $1 and position > $2 order by position',
    [org.id, position],
  );
  return rows.map(({ body }) => body);
}

export function bodiesIn({ host, text }: ReceivedBatch): string[] {
  if (host === EVENTS_HOST) {
    return JSON.parse(text).Entries.map(({ Detail }: { Detail: string }) => Detail);
  }
  const lines = text.split('\n').filter((line) => line !== '');
  if (host === HTTPS_HOST) return lines;
  return lines.map(
    (line) =>
      /^\{"time":[\d.]+,"host":"[^"]+","source":"[^"]+","sourcetype":"_json","event":(.*)\}$/.exec(line)?.[1] ?? '',
  );
}

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Computes the Authorization header that a received request to EventBridge must have (AWS Signature Version 4). */
export function expectedAuthorization(request: ReceivedBatch, region: string): string {
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(String(request.headers.authorization)) ?? [];
  const time = String(request.headers['x-amz-date']);
  const lines = names.split(';').map((name) => `${name}:${String(request.headers[name])}\n`);
  const canonical = `POST\n${request.url}\n\n${lines.join('')}\n${names}\n${sha256(request.raw)}`;
  const scope = [time.slice(0, 8), region, 'events', 'aws4_request'];
  let key: Buffer = Buffer.from(`AWS4${AWS.secretAccessKey}`);
  for (const part of scope) key = createHmac('sha256', key).update(part).digest();
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n');
  const signature = createHmac('sha256', key).update(text).digest('hex');
  const credential = `${AWS.accessKeyId}/${scope.join('/')}`;
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
}
