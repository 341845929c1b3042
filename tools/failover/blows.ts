import type { Node } from '../nodes/installation.ts';
import type { Machine } from './network.ts';
import type { PatroniServer } from './pair.ts';

/** The things that a blow can hit. */
export interface Targets {
  readonly primary: PatroniServer;
  readonly standby: PatroniServer;
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

const othersOf = ({ etcd, nodeMachines, standby }: Targets): readonly Machine[] => [
  etcd,
  standby.machine,
  ...nodeMachines,
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
  },
  cutPrimaryFromStandby: {
    strike: ({ primary, standby }) => primary.machine.cutFrom([standby.machine]),
    heal: ({ primary, standby }) => primary.machine.healWith([standby.machine]),
    healMilliseconds: SHORT_MILLISECONDS,
  },
  cutPrimaryFromNodes: {
    strike: ({ nodeMachines, primary }) => primary.machine.cutFrom(nodeMachines),
    heal: ({ nodeMachines, primary }) => primary.machine.healWith(nodeMachines),
    healMilliseconds: SHORT_MILLISECONDS,
  },
  killStandby: {
    strike: ({ standby }) => standby.machine.signal('SIGKILL'),
    heal: ({ standby }) => standby.start(),
    healMilliseconds: SHORT_MILLISECONDS,
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
    strike: ({ nodeMachine, primary, standby }) => nodeMachine.cutFrom([primary.machine, standby.machine]),
    heal: ({ nodeMachine, primary, standby }) => nodeMachine.healWith([primary.machine, standby.machine]),
    healMilliseconds: PAUSE_MILLISECONDS,
  },
} as const satisfies Readonly<Record<string, Blow>>;

export type BlowName = keyof typeof BLOWS;
