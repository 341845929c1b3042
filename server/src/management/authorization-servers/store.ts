import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import { resourceStore } from '../resource/index.ts';
import type { AuthorizationServerStatus } from './lifecycle.ts';
import type { IssuerMode, RotationMode } from './servers/server-rules.ts';

export interface AuthorizationServer {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly audiences: readonly string[];
  readonly issuerMode: IssuerMode;
  readonly status: AuthorizationServerStatus;
  /** Whether the word `default` in a path means this server. */
  readonly isDefault: boolean;
  readonly rotationMode: RotationMode;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

export interface OfServer {
  readonly serverId: string;
}

/** The ids that follow the org's id in the primary keys of scopes, claims and policies. */
export type PartKey = [serverId: string, id: string];

const COLUMNS = columns<AuthorizationServer>('authorization_servers', {
  id: 'key',
  name: 'changes',
  description: 'changes',
  audiences: 'json',
  issuerMode: 'changes',
  status: 'changes',
  isDefault: 'fixed',
  rotationMode: 'changes',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});
export const SERVER_COLUMNS = COLUMNS.select();
const INSERT = COLUMNS.insert();

// A deactivation voids all earlier tokens for good.
const UPDATE = COLUMNS.update(({ of }) => ({
  valid_after: `case when status = 'ACTIVE' and ${of('status')} = 'INACTIVE' then clock.now
    else valid_after end`,
}));

const BY_ID = resourceStore('authorization_server', COLUMNS, UPDATE);

/** The word that can replace the default server's id in paths. */
const DEFAULT = 'default';

/** There are two statements, so that each can use its own index. */
function readOne<Row>(db: Db, orgId: OrgId, idOrDefault: string, name: string, selected: string): Promise<Row[]> {
  const text = `select ${selected} from authorization_servers where org_id = $1`;
  return idOrDefault === DEFAULT
    ? prepared<Row>(db, `${name}_default`, `${text} and is_default`, [orgId])
    : prepared<Row>(db, `${name}_by_id`, `${text} and id = $2`, [orgId, idOrDefault]);
}

export async function findServer(db: Db, orgId: OrgId, idOrDefault: string): Promise<AuthorizationServer | undefined> {
  const [row] = await readOne<AuthorizationServer>(db, orgId, idOrDefault, 'authorization_server', SERVER_COLUMNS);
  return row;
}

/** `default` may replace the id. */
export async function findServerForUpdate(
  tx: Tx,
  orgId: OrgId,
  idOrDefault: string,
): Promise<AuthorizationServer | undefined> {
  const text = `select ${SERVER_COLUMNS} from authorization_servers
    where org_id = $1 and (id = $2 or (is_default and $2 = '${DEFAULT}')) for update`;
  const [row] = await prepared<AuthorizationServer>(tx, 'authorization_server_for_update', text, [orgId, idOrDefault]);
  return row;
}

export interface AuthorizationServerFacts
  extends Pick<
    AuthorizationServer,
    'id' | 'name' | 'audiences' | 'status' | 'issuerMode' | 'isDefault' | 'rotationMode'
  > {
  /** The part of the issuer after the org's address: `/oauth2/default` or `/oauth2/{id}`. */
  readonly issuerPath: string;
  /** Tokens issued before this time are void. */
  readonly validAfter: Date;
}

const FACTS = `id, name, audiences, status, issuer_mode as "issuerMode", is_default as "isDefault",
  rotation_mode as "rotationMode", valid_after as "validAfter",
  '/oauth2/' || case when is_default then '${DEFAULT}' else id end as "issuerPath"`;

/** Finds a server of any status. `default` may replace the id. */
export async function findAuthorizationServer(
  db: Db,
  orgId: OrgId,
  idOrDefault: string,
): Promise<AuthorizationServerFacts | null> {
  const [row] = await readOne<AuthorizationServerFacts>(db, orgId, idOrDefault, 'authorization_server_facts', FACTS);
  return row ?? null;
}

/** Returns false if `server` is a default server and the org already has one. */
export async function insertServer(tx: Tx, orgId: OrgId, server: AuthorizationServer): Promise<boolean> {
  const text = `${INSERT.text} on conflict (org_id) where is_default do nothing returning id`;
  return (await prepared(tx, 'authorization_server_insert', text, INSERT.values(orgId, server))).length > 0;
}

export const SERVERS = {
  ...BY_ID,
  find: findServer,
  findForUpdate: findServerForUpdate,
  insert: async (tx: Tx, orgId: OrgId, server: AuthorizationServer): Promise<void> => {
    await insertServer(tx, orgId, server);
  },
};

/** `q` is a part of the name or audience. Case is ignored. */
export function readServers(
  db: Db,
  orgId: OrgId,
  { also = [], q }: { readonly q: string | null; readonly also?: readonly RawBuilder<unknown>[] },
  request: KeysetRequest<string>,
): Promise<AuthorizationServer[]> {
  const part = q?.toLowerCase();
  const matches =
    part === undefined ? [] : [sql`(strpos(lower(name), ${part}) > 0 or strpos(lower(audiences ->> 0), ${part}) > 0)`];
  return SERVERS.readPage(db, orgId, [...also, ...matches], request);
}
