import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Context } from '../../kernel/context.ts';
import { toOrgId } from '../../kernel/words/ids.ts';
import { namespaceOf } from '../../kernel/words/namespace.ts';
import { systemContext } from '../access/system-context.ts';
import { createInputWriter } from '../write/event-facts.ts';
import { createEventRenderer } from './event-text.ts';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

function usedMegabytes(): number {
  if (typeof collect !== 'function') throw new Error('the heap cannot be cleaned up');
  collect();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return (arrayBuffers + heapUsed) / 1_048_576;
}

const now = new Date('2026-11-20T12:00:00.123Z');
const job = systemContext({ orgId: toOrgId('00o1'), namespace: namespaceOf('svc'), name: 'relay', now });
const userAgent = { rawUserAgent: 'curl/8', os: 'Unknown', browser: 'UNKNOWN' };
const client = { ipAddress: '10.0.0.1', userAgent, device: 'Unknown', deviceFingerprint: null, acceptLanguage: null };

test('requesters behind chains of hundreds of addresses do not fill the memory', () => {
  const render = createEventRenderer();
  const inputOf = createInputWriter({ placeOf: () => null, networkOf: () => null });
  const before = usedMegabytes();
  for (let count = 0; count < 300; count += 1) {
    const ipChain = Array.from({ length: 1_000 }, (_, index) => `10.${count % 250}.${index % 250}.${count + index}`);
    const context: Context = { ...job, client: { ...client, ipChain } };
    const input = inputOf(context, { eventType: 'user.account.lock' });
    expect(render(context.orgId, { uuid: 'uuid', published: now, input }).text).toContain(ipChain[999]);
  }
  expect(usedMegabytes() - before).toBeLessThan(16);
});
