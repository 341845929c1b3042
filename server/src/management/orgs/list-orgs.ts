import type { Db } from '../../platform/postgres/index.ts';
import { type OrgSummary, readOrgs } from './cross-org-store.ts';

const MAXIMUM_PAGE = 1_000;

/** `after` is '' for the first page. Only the command line may call this, because no request may see other orgs. */
export const listOrgs = (db: Db, after: string, limit: number): Promise<OrgSummary[]> =>
  readOrgs(db, after, Math.min(Math.max(1, limit), MAXIMUM_PAGE));
