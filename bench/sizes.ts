/** The sizes of a run. `full` makes the figures in README.md; `quick` only shows that a row works. */
export interface Sizes {
  readonly name: 'full' | 'quick';
  /** The number of rounds. Each round measures every side once. */
  readonly rounds: number;
  readonly warmUp: { readonly requests: number; readonly seconds: number };
  readonly seconds: number;
  readonly connections: number;
  /** The number of users to create through the API before other requests are measured. */
  readonly users: number;
  readonly usersRead: number;
  /** The number of users in the org of the search and user rows. */
  readonly searchUsers: number;
  readonly importUsers: number;
  readonly searchPages: number;
  readonly writers: number;
  readonly readableSeconds: number;
  readonly starts: number;
  readonly idleSeconds: number;
  readonly orgs: number;
  readonly busyOrgs: number;
  readonly logEvents: number;
  readonly logPeople: number;
  /** The number of other orgs in the log rows. `logSmallOrgEvents` is the number of events in each of them. */
  readonly logSmallOrgs: number;
  readonly logSmallOrgEvents: number;
  /** The number of times that the whole log is exported or verified. */
  readonly logExports: number;
  readonly logPages: number;
  /** The sizes that the growth run measures, in events of the first org. */
  readonly growth: readonly number[];
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
