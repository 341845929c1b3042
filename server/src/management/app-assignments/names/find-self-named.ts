import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { readUserSchemas } from '../../schemas/index.ts';
import { isOwnToWrite } from '../../users/index.ts';
import { readNamingApps } from '../cross-org-store.ts';
import { attributesIn } from './user-names.ts';

/** An app that names its users by what they write themselves: tokens bear their ids where that tells them apart. */
export interface SelfNamingApp {
  readonly subdomain: string;
  readonly appId: AppId;
  readonly attributes: readonly string[];
}

/** More than anybody looks through at once. */
const MAXIMUM_APPS = 10_000;

/** Attributes that users of some type may write themselves. Logins are unique: nobody is called another by one. */
async function ownAttributes(db: Db, orgId: OrgId): Promise<ReadonlySet<string>> {
  const schemas = await readUserSchemas(db, orgId);
  const own = schemas.flatMap(({ schema }) => [...schema].flatMap(([name, one]) => (isOwnToWrite(one) ? [name] : [])));
  return new Set(own.filter((name) => name !== 'login'));
}

/** Such apps of all orgs, no more than `atMost`. For the operator. */
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
