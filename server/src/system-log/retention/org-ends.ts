import type { LogConnection } from '../relay/connections.ts';
import { findOrgEnds, type OrgEnd, type Partition } from './retention-store.ts';

/** The number of orgs of which a statement finds the last events or writes the anchors. */
export const ORGS_PER_PAGE = 200;

export type End = Pick<OrgEnd, 'orgId' | 'position' | 'hash'>;

export const areSame = (ends: readonly End[], others: readonly End[]): boolean =>
  ends.length === others.length &&
  ends.every(({ hash, orgId, position }, index) => {
    const other = others[index];
    return other?.orgId === orgId && other.position === position && other.hash.equals(hash);
  });

/** Finds the last events of the next orgs in a partition. */
export const pageOfEnds = (connection: LogConnection, partition: Partition, afterOrgId: string): Promise<OrgEnd[]> =>
  findOrgEnds(connection, partition, afterOrgId, ORGS_PER_PAGE);

/** Finds the last event in a partition for each org that was not deleted. */
export async function allEnds(pageAfter: (orgId: string) => Promise<OrgEnd[]>): Promise<OrgEnd[]> {
  const ends: OrgEnd[] = [];
  for (;;) {
    const page = await pageAfter(ends.at(-1)?.orgId ?? '');
    ends.push(...page);
    if (page.length < ORGS_PER_PAGE) return ends.filter(({ days }) => days !== null);
  }
}
