import type { Context } from '../../../kernel/context.ts';
import { invalidObject } from '../../../kernel/errors/errors.ts';
import { authorizationServerTarget, findAuthorizationServer } from '../../../management/authorization-servers/index.ts';
import { enqueue } from '../../../platform/jobs/index.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import type { NewEvent, Work } from '../../../system-log/index.ts';
import {
  findSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  type SealedSigningKey,
  type SigningKey,
  updateKeyTimes,
} from '../store.ts';
import { type MadeSigningKey, makeSigningKey, type SigningKeyPorts } from './make-signing-key.ts';
import {
  expiryBefore,
  firstActiveFrom,
  isPublished,
  ORG_SERVER,
  successorActiveFrom,
  successorDueAt,
} from './rotation-rules.ts';

export const ROTATE_SIGNING_KEYS = 'oauth.rotateSigningKeys';

const MAXIMUM_PUBLISHED_KEYS = 50;

export interface RotationPorts extends SigningKeyPorts {
  readonly work: Work;
}

async function serverNameOf(db: Db, { orgId }: Context, serverId: string): Promise<string> {
  if (serverId === ORG_SERVER) return 'Org authorization server';
  return (await findAuthorizationServer(db, orgId, serverId))?.name ?? serverId;
}

const rolledOver = (
  context: Context,
  { kid, activeFrom, serverId }: SigningKey,
  displayName: string,
  former: string | null,
  displayMessage?: string,
): NewEvent => ({
  eventType: serverId === ORG_SERVER ? 'app.oauth2.key.rollover' : 'app.oauth2.as.key.rollover',
  ...(displayMessage === undefined ? {} : { displayMessage }),
  target: [
    {
      ...(serverId === ORG_SERVER
        ? { id: context.orgId, type: 'AuthorizationServer', alternateId: null, displayName }
        : authorizationServerTarget({ id: serverId, name: displayName })),
      changeDetails: { from: former === null ? {} : { kid: former }, to: { kid } },
      detailEntry: { kid, signsFrom: (activeFrom > context.now ? activeFrom : context.now).toISOString() },
    },
  ],
});

/** Only one job per server waits at a time. The job itself finds out what is due. */
const plan = (tx: Tx, { orgId }: Context, serverId: string, runAt: Date): Promise<void> =>
  enqueue(tx, orgId, {
    kind: ROTATE_SIGNING_KEYS,
    ...(serverId === ORG_SERVER
      ? { payload: {}, dedupeKey: 'next' }
      : { payload: { serverId }, dedupeKey: `next:${serverId}` }),
    runAt,
  });

const planSuccessor = (tx: Tx, context: Context, newest: SigningKey): Promise<void> =>
  plan(tx, context, newest.serverId, successorDueAt(newest));

/**
 * Plans the job that creates a custom server's first key. The job runs after the transaction that creates the server.
 */
export const planFirstKey = (tx: Tx, context: Context, serverId: string): Promise<void> =>
  plan(tx, context, serverId, context.now);

const keyOf = (made: MadeSigningKey, context: Context, serverId: string, activeFrom: Date): SealedSigningKey => ({
  ...made,
  serverId,
  createdAt: context.now,
  activeFrom,
  expiresAt: null,
});

/** Returns the event, or null if another process has already stored a first key. */
export async function insertFirstSigningKey(
  tx: Tx,
  context: Context,
  serverId: string,
  made: MadeSigningKey,
): Promise<NewEvent | null> {
  const first = keyOf(made, context, serverId, firstActiveFrom(serverId));
  if (!(await insertSigningKey(tx, context.orgId, first))) return null;
  await planSuccessor(tx, context, first);
  const name = await serverNameOf(tx, context, serverId);
  return rolledOver(context, first, name, null, 'Signing key of the authorization server created');
}

export async function makeFirstSigningKey(
  ports: RotationPorts & { readonly db: Db },
  context: Context,
  serverId: string,
): Promise<void> {
  // A process that learns late about the first key must not create a second one.
  if ((await findSigningKeys(ports.db, context.orgId, serverId)).length > 0) return;
  const made = await makeSigningKey(ports, context.orgId);
  await ports.work(context, async (tx, record) => {
    const event = await insertFirstSigningKey(tx, context, serverId, made);
    if (event !== null) record(event);
  });
}

export interface Rotation {
  readonly kid: string;
  /** The time from which the successor signs. */
  readonly activeFrom: Date;
}

/**
 * Publishes a successor, which signs a day later, or with `atOnce` as soon as every process knows it. If a successor is
 * already waiting, publishes no other key, but `atOnce` lets the waiting one sign earlier.
 */
export async function rotateSigningKey(
  ports: RotationPorts,
  context: Context,
  options: { readonly atOnce: boolean; readonly serverId?: string },
): Promise<Rotation> {
  const made = await makeSigningKey(ports, context.orgId);
  const { now, orgId } = context;
  const { atOnce, serverId = ORG_SERVER } = options;
  const rotated = await ports.work<SigningKey>(context, async (tx, record) => {
    const keys = await lockSigningKeys(tx, orgId, serverId);
    const [newest, former] = keys;
    const activeFrom = successorActiveFrom(now, atOnce);
    const waits = newest !== undefined && newest.activeFrom > now;
    // Several concurrent rotations have the effect of one, even on nodes whose clocks differ slightly.
    if (waits && (!atOnce || newest.activeFrom <= successorActiveFrom(activeFrom, true))) return newest;
    if (!waits && keys.filter((key) => isPublished(key, now)).length >= MAXIMUM_PUBLISHED_KEYS) {
      throw invalidObject('rotateKeys', [
        'Too many keys are still in use. Rotate again when their tokens have expired.',
      ]);
    }
    const replaced = waits ? former : newest;
    const successor = waits ? { ...newest, activeFrom } : keyOf(made, context, serverId, activeFrom);
    if ('sealedKey' in successor) await insertSigningKey(tx, orgId, successor);
    else await updateKeyTimes(tx, orgId, successor);
    if (replaced !== undefined) {
      await updateKeyTimes(tx, orgId, { ...replaced, expiresAt: expiryBefore(activeFrom, serverId) });
    }
    await planSuccessor(tx, context, successor);
    record(rolledOver(context, successor, await serverNameOf(tx, context, serverId), replaced?.kid ?? null));
    return successor;
  });
  return { kid: rotated.kid, activeFrom: rotated.activeFrom };
}

export async function planRotation(tx: Tx, context: Context, serverId: string): Promise<void> {
  const [newest] = await findSigningKeys(tx, context.orgId, serverId);
  if (newest !== undefined) await planSuccessor(tx, context, newest);
}

/**
 * Publishes a successor if one is due, unless a custom server's keys are rotated by hand. Creates a custom server's
 * first key if it has none.
 */
export async function rotateWhenDue(
  ports: RotationPorts & { readonly db: Db },
  context: Context,
  serverId: string = ORG_SERVER,
): Promise<void> {
  const [newest] = await findSigningKeys(ports.db, context.orgId, serverId);
  if (serverId !== ORG_SERVER) {
    const server = await findAuthorizationServer(ports.db, context.orgId, serverId);
    if (server !== null && newest === undefined) await makeFirstSigningKey(ports, context, serverId);
    if (server?.rotationMode !== 'AUTO') return;
  }
  if (newest === undefined) return;
  if (successorDueAt(newest) <= context.now) await rotateSigningKey(ports, context, { atOnce: false, serverId });
  else await ports.work(context, (tx) => planSuccessor(tx, context, newest));
}
