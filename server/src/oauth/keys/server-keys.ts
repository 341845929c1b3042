import type { Context } from '../../kernel/context.ts';
import { invalidObject, notFound } from '../../kernel/errors/errors.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import {
  type AuthorizationServerFacts,
  findAuthorizationServer,
  type SigningOf,
} from '../../management/authorization-servers/index.ts';
import type { Db, Reactions, Tx } from '../../platform/postgres/index.ts';
import type { NewEvent } from '../../system-log/index.ts';
import { planFirstKey, planRotation, type RotationPorts, rotateSigningKey } from './rotation/rotate-signing-key.ts';
import {
  isPublished,
  KNOWN_EVERYWHERE_MILLISECONDS,
  signingKeyOf,
  signsSince,
  signsUntil,
} from './rotation/rotation-rules.ts';
import type { SigningKeys } from './signing-keys.ts';
import { findSigningKeys, findSigningKeysOf, type SigningKey } from './store.ts';

export interface ServerKeysPorts extends RotationPorts {
  readonly db: Db;
  readonly signingKeys: Pick<SigningKeys, 'publicKeys' | 'drop'>;
}

/** A `NEXT` key is published but does not sign yet. An `EXPIRED` key is accepted until its tokens have expired. */
export type ServerKeyStatus = 'ACTIVE' | 'NEXT' | 'EXPIRED';

export interface ServerKey extends Pick<SigningKey, 'kid' | 'algorithm' | 'publicJwk'> {
  readonly status: ServerKeyStatus;
  readonly server: AuthorizationServerFacts;
}

const ORDER: readonly ServerKeyStatus[] = ['ACTIVE', 'NEXT', 'EXPIRED'];

/** Lists show the status at this slightly later time, so that a new key is `ACTIVE` right after its rotation. */
const settledAt = ({ now }: Context): Date => new Date(now.getTime() + KNOWN_EVERYWHERE_MILLISECONDS);

function statusOf(key: SigningKey, signing: SigningKey | undefined, at: Date): ServerKeyStatus {
  if (key === signing) return 'ACTIVE';
  return key.activeFrom > at ? 'NEXT' : 'EXPIRED';
}

async function requireServer(db: Db, orgId: OrgId, id: string): Promise<AuthorizationServerFacts> {
  const server = await findAuthorizationServer(db, orgId, id);
  if (server === null) throw notFound(id, 'AuthorizationServer');
  return server;
}

export async function listServerKeys(
  ports: ServerKeysPorts,
  context: Context,
  id: string,
  at: Date = settledAt(context),
): Promise<ServerKey[]> {
  const { orgId } = context;
  const server = await requireServer(ports.db, orgId, id);
  const keys = (await findSigningKeys(ports.db, orgId, server.id)).filter((key) => isPublished(key, context.now));
  const signing = signingKeyOf(keys, at);
  return keys
    .map((key): ServerKey => {
      const { algorithm, kid, publicJwk } = key;
      return { kid, algorithm, publicJwk, server, status: statusOf(key, signing, at) };
    })
    .toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status));
}

export async function getServerKey(
  ports: ServerKeysPorts,
  context: Context,
  id: string,
  kid: string,
): Promise<ServerKey> {
  const key = (await listServerKeys(ports, context, id)).find((one) => one.kid === kid);
  if (key === undefined) throw notFound(kid, 'JsonWebKey');
  return key;
}

export async function rotateServerKeys(
  ports: ServerKeysPorts,
  context: Context,
  id: string,
  use: unknown,
): Promise<ServerKey[]> {
  const server = await requireServer(ports.db, context.orgId, id);
  if (use !== 'sig') throw invalidObject('rotateKeys', ["Invalid value specified for key 'use' parameter"]);
  // This call creates the first key if the server has none.
  await ports.signingKeys.publicKeys(context.orgId, server.id);
  const { activeFrom } = await rotateSigningKey(ports, context, { atOnce: true, serverId: server.id });
  // If another process rotated the key first, no event in this process has dropped the cached list.
  ports.signingKeys.drop(context.orgId);
  return listServerKeys(ports, context, server.id, activeFrom);
}

/** The returned function creates missing first keys only if `make` is set. */
export const signingOf =
  (ports: Pick<ServerKeysPorts, 'db' | 'signingKeys'>): SigningOf =>
  async (context, servers, { make } = { make: false }) => {
    const { now, orgId } = context;
    const ids = servers.map(({ id }) => id);
    if (make) for (const id of ids) await ports.signingKeys.publicKeys(orgId, id);
    const keys = await findSigningKeysOf(ports.db, orgId, ids);
    return new Map(
      servers.flatMap(({ id, rotationMode }) => {
        const own = keys.filter(({ serverId }) => serverId === id);
        const signing = signingKeyOf(own, now);
        if (signing === undefined) return [];
        // If a successor is waiting, the next rotation is the time at which that key starts to sign.
        const waiting = own.find(({ activeFrom }) => activeFrom > now);
        const next = waiting?.activeFrom ?? signsUntil(signing);
        const nextRotation = rotationMode === 'AUTO' ? next : null;
        return [[id, { kid: signing.kid, lastRotated: signsSince(signing), nextRotation }] as const];
      }),
    );
  };

export async function planDefaultServerKey(tx: Tx, context: Context): Promise<void> {
  const server = await findAuthorizationServer(tx, context.orgId, 'default');
  if (server !== null) await planFirstKey(tx, context, server.id);
}

type Reaction = Reactions<NewEvent>[string][number];

export const planServerRotation: Reaction = async (tx, context, event) => {
  const [target] = event.target ?? [];
  if (target !== undefined) await planRotation(tx, context, target.id);
};
