import type { Node } from '../nodes/installation.ts';
import type { Machine } from './network.ts';
import type { Roles } from './patroni-cluster.ts';

/** The things that a blow can hit. */
export interface Targets extends Roles {
  readonly etcd: Machine;
  readonly node: Node;
  readonly nodeMachine: Machine;
  readonly nodeMachines: readonly Machine[];
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

const serversOf = ({ others, primary, standby }: Roles): readonly Machine[] =>
  [primary, standby, ...others].map(({ machine }) => machine);

const othersOf = (targets: Targets): readonly Machine[] => [
  targets.etcd,
  ...serversOf(targets).filter((machine) => machine !== targets.primary.machine),
  ...targets.nodeMachines,
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
    strike: ({ nodeMachines, primary }) => primary.machine.cutFrom(nodeMachines),
    heal: ({ nodeMachines, primary }) => primary.machine.healWith(nodeMachines),
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
  pauseNode: {
    strike: ({ nodeMachine }) => nodeMachine.signal('SIGSTOP'),
    heal: ({ nodeMachine }) => nodeMachine.signal('SIGCONT'),
    healMilliseconds: PAUSE_MILLISECONDS,
  },
  cutNodeOff: {
    strike: (targets) => targets.nodeMachine.cutFrom(serversOf(targets)),
    heal: (targets) => targets.nodeMachine.healWith(serversOf(targets)),
    healMilliseconds: PAUSE_MILLISECONDS,
  },
} as const satisfies Readonly<Record<string, Blow>>;

export type BlowName = keyof typeof BLOWS;
