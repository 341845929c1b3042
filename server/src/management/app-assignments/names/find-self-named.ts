import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { readUserSchemas } from '../../schemas/index.ts';
import { isOwnToWrite } from '../../users/index.ts';
import { readNamingApps } from '../cross-org-store.ts';
import { attributesIn } from './user-names.ts';

/** An app whose template names users by attributes that they can write themselves. */
export interface SelfNamingApp {
  readonly subdomain: string;
  readonly appId: AppId;
  readonly attributes: readonly string[];
}

const MAXIMUM_APPS = 10_000;

/** Finds the attributes, other than the login, that users of at least one type may write. */
async function ownAttributes(db: Db, orgId: OrgId): Promise<ReadonlySet<string>> {
  const schemas = await readUserSchemas(db, orgId);
  const own = schemas.flatMap(({ schema }) => [...schema].flatMap(([name, one]) => (isOwnToWrite(one) ? [name] : [])));
  return new Set(own.filter((name) => name !== 'login'));
}

export async function findSelfNamingApps(db: Db, atMost: number): Promise<readonly SelfNamingApp[]> {
  const found: SelfNamingApp[] = [];
  const ownOfOrgs = new Map<OrgId, ReadonlySet<string>>();
  for (const { appId, orgId, subdomain, template } of await readNamingApps(db, MAXIMUM_APPS)) {
    const own = ownOfOrgs.get(orgId) ?? (await ownAttributes(db, orgId));
    ownOfOrgs.set(orgId, own);
    const attributes = attributesIn(template).filter((name) => own.has(name));
    if (attributes.length > 0) found.push({ subdomain, appId, attributes });
    if (found.length === atMost) break;
  }
  return found;
}
