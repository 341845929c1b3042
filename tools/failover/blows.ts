import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from '../../server/src/platform/postgres/index.ts';
import type { SealerProcess } from '../crash/sealer-process.ts';
import type { Node } from '../nodes/installation.ts';
import type { Machine } from './network.ts';
import type { Roles } from './patroni-cluster.ts';
import { killRelayWorker } from './relay-worker.ts';

/** The things that a blow can hit. */
export interface Targets extends Roles {
  readonly etcd: Machine;
  readonly node: Node;
  readonly nodeMachine: Machine;
  readonly nodeMachines: readonly Machine[];
  /** The machines of HAProxy through which the nodes reach the primary, if they do not know the servers. */
  readonly proxies: readonly Machine[];
  /** A pool of the tool itself. */
  readonly pool: Pool;
  /** A process that seals all events at once. */
  readonly sealer: SealerProcess;
}

export interface Blow {
  readonly strike: (targets: Targets) => Promise<void> | void;
  readonly heal?: (targets: Targets) => Promise<void> | void;
  /** If set, nothing else recovers what was struck, so it is healed after this time. Otherwise, after the recovery. */
  readonly healMilliseconds?: number;
}

const SHORT_MILLISECONDS = 6_000;
const PAUSE_MILLISECONDS = 15_000;
/** Patroni gives up a primary that it cannot note in etcd after 20 s. */
const LONG_MILLISECONDS = 35_000;

const HOUR_SECONDS = 3_600;
/** The folders of libraries on Debian, for each kind of processor. */
const LIBRARIES = '/usr/lib';

function fakeTimeLibrary(): string {
  const paths = readdirSync(LIBRARIES).map((name) => join(LIBRARIES, name, 'faketime', 'libfaketimeMT.so.1'));
  const path = paths.find((one) => existsSync(one));
  if (path === undefined) throw new Error('libfaketime is not installed');
  return path;
}

async function restart({ service }: Node, environment: Readonly<Record<string, string>> = {}): Promise<void> {
  await service.end('SIGKILL');
  service.launch(environment);
}

/** Restarts a node whose clock is wrong by so many seconds. Time spans are measured rightly. */
const restartAt = (node: Node, seconds: number): Promise<void> =>
  restart(node, {
    LD_PRELOAD: fakeTimeLibrary(),
    FAKETIME: `${seconds > 0 ? '+' : ''}${seconds}`,
    DONT_FAKE_MONOTONIC: '1',
  });

const serversOf = ({ others, primary, standby }: Roles): readonly Machine[] =>
  [primary, standby, ...others].map(({ machine }) => machine);

/** The machines that connect to the primary for the nodes. */
const clientsOf = ({ nodeMachines, proxies }: Targets): readonly Machine[] => [...nodeMachines, ...proxies];

const othersOf = (targets: Targets): readonly Machine[] => [
  targets.etcd,
  ...serversOf(targets).filter((machine) => machine !== targets.primary.machine),
  ...clientsOf(targets),
];

/** All blows, by name. */
export const BLOWS = {
  killPostgres: { strike: ({ primary }) => primary.killPostgres() },
  killPrimary: {
    strike: ({ primary }) => primary.machine.signal('SIGKILL'),
    heal: ({ primary }) => primary.start(),
  },
  pausePrimary: {
    strike: ({ primary }) => primary.machine.signal('SIGSTOP'),
    heal: ({ primary }) => primary.machine.signal('SIGCONT'),
  },
  cutPrimaryOff: {
    strike: (targets) => targets.primary.machine.cutFrom(othersOf(targets)),
    heal: (targets) => targets.primary.machine.healWith(othersOf(targets)),
  },
  cutPrimaryFromEtcd: {
    strike: ({ etcd, primary }) => primary.machine.cutFrom([etcd]),
    heal: ({ etcd, primary }) => primary.machine.healWith([etcd]),
    healMilliseconds: LONG_MILLISECONDS,
  },
  cutPrimaryFromStandby: {
    strike: ({ primary, standby }) => primary.machine.cutFrom([standby.machine]),
    heal: ({ primary, standby }) => primary.machine.healWith([standby.machine]),
  },
  cutPrimaryFromNodes: {
    strike: (targets) => targets.primary.machine.cutFrom(clientsOf(targets)),
    heal: (targets) => targets.primary.machine.healWith(clientsOf(targets)),
    healMilliseconds: SHORT_MILLISECONDS,
  },
  killStandby: {
    strike: ({ standby }) => standby.machine.signal('SIGKILL'),
    heal: ({ standby }) => standby.start(),
  },
  killNode: {
    strike: async ({ node }) => {
      await node.service.end('SIGKILL');
    },
    heal: ({ node }) => node.service.launch(),
  },
  killWorker: {
    strike: ({ node, nodeMachine, nodeMachines, pool }) =>
      killRelayWorker(pool, nodeMachines, { node, machine: nodeMachine }),
  },
  killSealer: {
    strike: async ({ sealer }) => {
      await sealer.kill();
      sealer.launch();
    },
  },
  pauseNode: {
    strike: ({ nodeMachine }) => nodeMachine.signal('SIGSTOP'),
    heal: ({ nodeMachine }) => nodeMachine.signal('SIGCONT'),
    healMilliseconds: PAUSE_MILLISECONDS,
  },
  setNodeAhead: {
    strike: ({ node }) => restartAt(node, HOUR_SECONDS),
    heal: ({ node }) => restart(node),
    healMilliseconds: PAUSE_MILLISECONDS,
  },
  setNodeBack: {
    strike: ({ node }) => restartAt(node, -HOUR_SECONDS),
    heal: ({ node }) => restart(node),
    healMilliseconds: PAUSE_MILLISECONDS,
  },
  fillDisk: {
    strike: ({ primary }) => primary.disk.fill(),
    heal: ({ primary }) => primary.disk.free(),
    healMilliseconds: PAUSE_MILLISECONDS,
  },
  cutNodeOff: {
    strike: (targets) => targets.nodeMachine.cutFrom([...serversOf(targets), ...targets.proxies]),
    heal: (targets) => targets.nodeMachine.healWith([...serversOf(targets), ...targets.proxies]),
    healMilliseconds: PAUSE_MILLISECONDS,
  },
} as const satisfies Readonly<Record<string, Blow>>;

export type BlowName = keyof typeof BLOWS;

/** The blows that are a kill -9 of one process, or of one node. */
export const KILLS: readonly BlowName[] = ['killPostgres', 'killNode', 'killWorker', 'killSealer'];
