import type { OrgId } from '../../src/kernel/words/ids.ts';
import { createInputMaker, createOutboxRowMaker } from '../../src/system-log/index.ts';
import { chainHash, GENESIS_HASH } from '../../src/system-log/rendering/digest.ts';
import type { ChainEnd, UnsealedRow } from '../../src/system-log/sealing/packing/unsealed-row.ts';
import { created, requestContext } from './system-log.ts';

const makeRow = createOutboxRowMaker(createInputMaker());

/** The place before the first event of a log. */
export const BEGINNING: ChainEnd = { position: 0, hash: GENESIS_HASH, persistedAt: null };

/** Returns a time as PostgreSQL prints it. */
export const timeText = (time: Date): string => time.toISOString().replace('T', ' ').replace('Z', '+00');

/** Makes the rows of a log whose events were persisted at the given times. */
export function unsealedRows(orgId: OrgId, times: readonly Date[]): UnsealedRow[] {
  let { hash, position } = BEGINNING;
  return times.map((time) => {
    const row = makeRow(requestContext(orgId, time), created(`00u${position}`));
    position += 1;
    hash = chainHash(orgId, position, row.digest, hash);
    return {
      position,
      persistedAt: timeText(time),
      published: timeText(time),
      uuid: row.uuid,
      eventType: row.eventType,
      severity: row.severity,
      actorId: row.actorId,
      targetIds: row.targetIds,
      outcomeResult: row.outcomeResult,
      clientIpAddress: row.clientIpAddress,
      transactionId: row.transactionId,
      tokens: `{${row.tokens.join(',')}}`,
      salt: row.salt,
      digest: row.digest,
      hash,
      erasedAt: null,
      body: row.body.toString(),
    };
  });
}
