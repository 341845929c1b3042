/** The sizes of a run. `full` is the one in README.md; `quick` only shows that a row works. */
export interface Sizes {
  readonly name: 'full' | 'quick';
  /** How often limit and product take turns; figures are medians over these rounds. */
  readonly rounds: number;
  readonly warmUp: { readonly requests: number; readonly seconds: number };
  readonly seconds: number;
  /** Concurrent requests, one per connection. */
  readonly connections: number;
  /** Users that the single-user rows write, in addition to existing ones. */
  readonly users: number;
  /** Users that are read, from all over the org. */
  readonly usersRead: number;
  /** Users of the large org. */
  readonly searchUsers: number;
  /** Users that the import row brings. */
  readonly importUsers: number;
  /** Pages read for the median of one search. */
  readonly searchPages: number;
  /** Transactions under way in the event write row. */
  readonly writers: number;
  readonly readableSeconds: number;
  readonly starts: number;
  readonly idleSeconds: number;
  readonly orgs: number;
  /** Orgs that requests are spread over in the orgs row. */
  readonly busyOrgs: number;
  /** Events of the large org in the log rows. */
  readonly logEvents: number;
  readonly logPeople: number;
  /** The number of other orgs, and of events in each. */
  readonly logSmallOrgs: number;
  readonly logSmallOrgEvents: number;
  /** How often the whole log is exported. */
  readonly logExports: number;
  /** Pages read for the median of one query of the log. */
  readonly logPages: number;
  /** Events of the large org, one size after the other, in the run for growth. */
  readonly growth: readonly number[];
  /** Events that the relay moves there. */
  readonly growthDrained: number;
}

export const FULL: Sizes = {
  name: 'full',
  rounds: 5,
  warmUp: { requests: 5_000, seconds: 1 },
  seconds: 6,
  connections: 16,
  users: 2_000,
  usersRead: 50_000,
  searchUsers: 1_000_000,
  importUsers: 1_000_000,
  searchPages: 60,
  writers: 16,
  readableSeconds: 20,
  starts: 7,
  idleSeconds: 15,
  orgs: 10_000,
  busyOrgs: 100,
  logEvents: 2_000_000,
  logPeople: 14_000,
  logSmallOrgs: 20,
  logSmallOrgEvents: 5_000,
  logExports: 3,
  logPages: 30,
  growth: [200_000, 2_000_000, 20_000_000],
  growthDrained: 20_000,
};

export const QUICK: Sizes = {
  name: 'quick',
  rounds: 2,
  warmUp: { requests: 0, seconds: 0.5 },
  seconds: 1,
  connections: 16,
  users: 64,
  usersRead: 64,
  searchUsers: 3_000,
  importUsers: 5_000,
  searchPages: 5,
  writers: 16,
  readableSeconds: 2,
  starts: 1,
  idleSeconds: 2,
  orgs: 50,
  busyOrgs: 10,
  logEvents: 20_000,
  logPeople: 500,
  logSmallOrgs: 3,
  logSmallOrgEvents: 500,
  logExports: 2,
  logPages: 4,
  growth: [2_000, 20_000],
  growthDrained: 500,
};
