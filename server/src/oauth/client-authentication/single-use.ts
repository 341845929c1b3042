import { createHash } from 'node:crypto';
import type { OrgId } from '../../kernel/ids.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { insertUsedAssertion } from './store.ts';

/** What is good once: an assertion, or a proof of possession. */
export interface SingleUse {
  /** Names of two kinds never meet: each begins with its kind. */
  readonly name: string;
  /** After that it is refused for its age. */
  readonly expiresAt: Date;
}

/** A process whose clock is behind ours accepts it a little longer. */
const MARGIN_MILLISECONDS = 5 * 60_000;

/** Uses it up, in the transaction of whatever it is used for. False: it was used before. */
export const useOnce = (tx: Tx, orgId: OrgId, clientId: string, { name, expiresAt }: SingleUse): Promise<boolean> =>
  insertUsedAssertion(tx, orgId, {
    clientId,
    hash: createHash('sha256').update(name).digest(),
    expiresAt: new Date(expiresAt.getTime() + MARGIN_MILLISECONDS),
  });
