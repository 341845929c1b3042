import { namedServersIn, withFirstServer } from '../../settings/database-url.ts';
import type { ReplicaAddress } from '../../system-log/index.ts';

/** Returns the replicas of a URL, each with the settings to connect to it. */
export function replicasIn(replicaUrl: string): readonly ReplicaAddress[] {
  const connectionString = withFirstServer(replicaUrl);
  return namedServersIn(replicaUrl).map(({ address, name }) => ({
    name,
    connection: { connectionString, ...(address === null ? {} : { servers: [address] }) },
  }));
}
