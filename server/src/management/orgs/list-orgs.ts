import type { Db } from '../../platform/postgres/index.ts';
import { type OrgSummary, readOrgs } from './cross-org-store.ts';

const MAXIMUM_PAGE = 1_000;

/**
 * Lists a page of all orgs of the installation, by subdomain after `after` ('' for the first page), at most 1,000. Only
 * for operators; no request may see other orgs.
 */
export const listOrgs = (db: Db, after: string, limit: number): Promise<OrgSummary[]> =>
  readOrgs(db, after, Math.min(Math.max(1, limit), MAXIMUM_PAGE));
