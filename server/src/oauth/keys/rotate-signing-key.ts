import type { Context } from '../../kernel/context.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import type { NewEvent, Work } from '../../system-log/index.ts';
import { type MadeSigningKey, makeSigningKey } from './make-signing-key.ts';
import { expiryBefore, FIRST_ACTIVE_FROM, successorActiveFrom, successorDueAt } from './rotation-rules.ts';
import { findSigningKeys, insertSigningKey, lockSigningKeys, type SigningKey, updateKeyTimes } from './store.ts';

export const ROTATE_SIGNING_KEYS = 'oauth.rotateSigningKeys';

export interface RotationPorts {
  readonly work: Work;
  readonly masterKey: MasterKey;
}

const rolledOver = (
  context: Context,
  { kid, activeFrom }: SigningKey,
  former: string | null,
  displayMessage?: string,
): NewEvent => ({
  eventType: 'app.oauth2.key.rollover',
  ...(displayMessage === undefined ? {} : { displayMessage }),
  target: [
    {
      id: context.orgId,
      type: 'AuthorizationServer',
      alternateId: null,
      displayName: 'Org authorization server',
      changeDetails: { from: former === null ? {} : { kid: former }, to: { kid } },
      detailEntry: { kid, signsFrom: (activeFrom > context.now ? activeFrom : context.now).toISOString() },
    },
  ],
});

/** One waiting job an org, whichever key it was planned for: it looks itself what is due. */
const planSuccessor = (tx: Tx, context: Context, newest: SigningKey): Promise<void> =>
  enqueue(tx, context.orgId, {
    kind: ROTATE_SIGNING_KEYS,
    payload: {},
    dedupeKey: 'next',
    runAt: successorDueAt(newest),
  });

const keyOf = (made: MadeSigningKey, context: Context, activeFrom: Date) => ({
  ...made,
  createdAt: context.now,
  activeFrom,
  expiresAt: null,
});

/** Makes the key of an org that has none; where another process was faster, its key stands. */
export async function makeFirstSigningKey(ports: RotationPorts & { readonly db: Db }, context: Context): Promise<void> {
  // Whoever only heard late of the first key must not make a second one.
  if ((await findSigningKeys(ports.db, context.orgId)).length > 0) return;
  const first = keyOf(await makeSigningKey(ports.masterKey, context.orgId), context, FIRST_ACTIVE_FROM);
  await ports.work(context, async (tx, record) => {
    if (!(await insertSigningKey(tx, context.orgId, first))) return;
    await planSuccessor(tx, context, first);
    record(rolledOver(context, first, null, 'Signing key of the authorization server created'));
  });
}

export interface Rotation {
  readonly kid: string;
  /** From when the new key signs. */
  readonly activeFrom: Date;
}

/**
 * Makes and publishes the successor of an org's signing key, which signs a day later, or with `atOnce` as soon as every
 * process knows it. One that waits already is taken instead of another. The former key is accepted until the last token
 * it signed is over.
 */
export async function rotateSigningKey(
  ports: RotationPorts,
  context: Context,
  options: { readonly atOnce: boolean },
): Promise<Rotation> {
  const made = await makeSigningKey(ports.masterKey, context.orgId);
  const { now, orgId } = context;
  const rotated = await ports.work<SigningKey>(context, async (tx, record) => {
    const [newest, former] = await lockSigningKeys(tx, orgId);
    const activeFrom = successorActiveFrom(now, options.atOnce);
    const waits = newest !== undefined && newest.activeFrom > now;
    if (waits && (!options.atOnce || newest.activeFrom <= activeFrom)) return newest;
    const replaced = waits ? former : newest;
    const successor = waits ? { ...newest, activeFrom } : keyOf(made, context, activeFrom);
    if ('sealedKey' in successor) await insertSigningKey(tx, orgId, successor);
    else await updateKeyTimes(tx, orgId, successor);
    if (replaced !== undefined) {
      await updateKeyTimes(tx, orgId, { ...replaced, expiresAt: expiryBefore(activeFrom) });
    }
    await planSuccessor(tx, context, successor);
    record(rolledOver(context, successor, replaced?.kid ?? null));
    return successor;
  });
  return { kid: rotated.kid, activeFrom: rotated.activeFrom };
}

/** Rotates when it is time, and plans the next time. An org without a key gets its first one when it needs it. */
export async function rotateWhenDue(ports: RotationPorts & { readonly db: Db }, context: Context): Promise<void> {
  const [newest] = await findSigningKeys(ports.db, context.orgId);
  if (newest === undefined) return;
  if (successorDueAt(newest) <= context.now) await rotateSigningKey(ports, context, { atOnce: false });
  else await ports.work(context, (tx) => planSuccessor(tx, context, newest));
}
