import { newHttpsStream, STREAM_SCHEMAS, STREAMS } from '../support/log-streams.ts';
import type { Use } from './asking.ts';

export async function useLogStreamRoutes({ ask }: Use): Promise<void> {
  const body = newHttpsStream();
  const path = `${STREAMS}/${(await ask('POST', STREAMS, body)).id}`;
  await ask('GET', STREAM_SCHEMAS);
  await ask('GET', `${STREAM_SCHEMAS}/https_ndjson`);
  await ask('GET', STREAMS);
  await ask('GET', `${STREAMS}?limit=1&filter=${encodeURIComponent('type eq "https_ndjson" and status eq "ACTIVE"')}`);
  await ask('GET', path);
  await ask('PUT', path, { ...body, name: 'used' });
  await ask('GET', `${path}/delivery`);
  await ask('POST', `${path}/lifecycle/replay`, { position: 1 });
  for (const list of ['deliveries', 'deadLetters']) await ask('GET', `${path}/${list}`);
  for (const action of ['deactivate', 'activate', 'deactivate']) await ask('POST', `${path}/lifecycle/${action}`);
  await ask('DELETE', path);
}
