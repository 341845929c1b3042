import { createHmac } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Namespace } from '../../../kernel/words/namespace.ts';
import type { SinkBatch } from '../../../system-log/index.ts';
import type { HttpsSettings } from '../settings/stream-types-rules.ts';
import type { StreamRequest } from './delivery-request.ts';

export const HTTPS_BOUNDS = { maximumEvents: 1_000, maximumBytes: 1_000_000 };

const compress = promisify(gzip);

/** Signs the time, the id and the uncompressed body of a batch with HMAC-SHA256. Returns `t=<seconds>,v1=<hex>`. */
export function signBatch(secret: string, batch: { readonly id: string; readonly body: string; readonly at: Date }) {
  const seconds = Math.floor(batch.at.getTime() / 1_000);
  const mac = createHmac('sha256', secret).update(`${seconds}.${batch.id}.${batch.body}`).digest('hex');
  return `t=${seconds},v1=${mac}`;
}

export const ndjsonOf = (batch: SinkBatch): string => batch.events.map(({ body }) => `${body}\n`).join('');

export async function httpsRequest(
  settings: HttpsSettings,
  secret: string,
  { headerPrefix }: Namespace,
  batch: SinkBatch,
): Promise<StreamRequest> {
  const body = ndjsonOf(batch);
  const header = (name: string): string => `${headerPrefix}Log-${name}`;
  return {
    url: settings.url,
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/x-ndjson',
      ...(settings.gzip ? { 'Content-Encoding': 'gzip' } : {}),
      [header('Batch')]: batch.id,
      [header('First-Position')]: String(batch.events[0]?.position),
      [header('Last-Position')]: String(batch.events.at(-1)?.position),
      [header('Count')]: String(batch.events.length),
      ...(batch.checkpoint === null ? {} : { [header('Checkpoint')]: batch.checkpoint }),
      [header('Signature')]: signBatch(secret, { id: batch.id, body, at: batch.now }),
    },
    body: settings.gzip ? await compress(body) : body,
  };
}
