/** The Debian packages of the machines, with a file of each. */
export const FAILOVER_PACKAGES: Readonly<Record<string, string>> = {
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
  '/usr/bin/patroni': 'patroni',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/sbin/ip': 'iproute2',
  '/usr/share/doc/libfaketime/copyright': 'libfaketime',
};
