import { pooledRandomBytes } from '../../kernel/random.ts';
import type { InputRow } from '../outbox/input-store.ts';
import type { OutboxRow } from '../outbox/outbox-store.ts';
import { SALT_BYTES, saltedBody } from './digest.ts';
import { createEventRenderer } from './event-text.ts';

/** Makes a renderer of ledger rows without their places in the chain. Each row gets a new salt. */
export function createRowRenderer(): (waiting: InputRow) => OutboxRow {
  const render = createEventRenderer();
  return (waiting) => {
    const { orgId, published, uuid } = waiting;
    const { text, ...columns } = render(orgId, waiting);
    const salt = pooledRandomBytes(SALT_BYTES);
    return { orgId, uuid, published, ...columns, salt, ...saltedBody(salt, text) };
  };
}
