/** An address of a database server. `host` may also be the folder of a Unix socket. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The marks that distinguish a server from a former primary of the same cluster, and from other clusters. */
export interface ServerIdentity {
  /** The number that PostgreSQL gives a cluster when it is created. Its standbys have the same number. */
  readonly systemIdentifier: string;
  /** The number of the timeline, which rises when a standby is promoted. */
  readonly timeline: number;
}

/** The address of a database and the user to connect as. The PostgreSQL driver has defaults for absent members. */
export interface ConnectionSettings {
  connectionString?: string;
  host?: string;
  port?: number;
  user?: string;
  password?: string;
  database?: string;
  /** If there are several, the one that is the primary replaces the address in the other members. */
  servers?: readonly ServerAddress[];
  /** The primary that an earlier process knew. A primary of the same cluster with an earlier timeline is refused. */
  known?: ServerIdentity;
  /** Whether the address is that of a standby, to which only log readers connect (ADR 0089). */
  isReplica?: boolean;
}
