import { randomBytes, randomInt } from 'node:crypto';
import { run } from './run.ts';

/** A machine of its own, as far as the network and the signals of this tool are concerned. */
export interface Machine {
  readonly name: string;
  readonly address: string;
  /** The command that runs a program on the machine. */
  readonly prefix: readonly string[];
  /** Returns the ids of all processes of the machine. */
  processes(): readonly number[];
  /** Sends a signal to all processes of the machine. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Stops all traffic between this machine and the others. */
  cutFrom(others: readonly Machine[]): void;
  healWith(others: readonly Machine[]): void;
}

export interface Network {
  /** This machine's address in the network. */
  readonly address: string;
  machine(name: string): Machine;
  close(): void;
}

const FIRST_ADDRESS = 11;

/** Creates a bridge in this machine's network. Each machine is a network namespace that is connected to it. */
export function openNetwork(): Network {
  const id = randomBytes(2).toString('hex');
  const bridge = `ghb${id}`;
  // Another run on this machine, or one that was killed, has other addresses.
  const prefix = `10.77.${randomInt(256)}`;
  const spaces: string[] = [];
  run('ip', 'link', 'add', bridge, 'type', 'bridge');
  run('ip', 'addr', 'add', `${prefix}.1/24`, 'dev', bridge);
  run('ip', 'link', 'set', bridge, 'up');

  function machine(name: string): Machine {
    const space = `gh${id}${name}`;
    const address = `${prefix}.${FIRST_ADDRESS + spaces.length}`;
    const [outer, inner] = [`gho${id}${name}`, `ghi${id}${name}`];
    const inside = (...args: readonly string[]): string => run('ip', '-n', space, ...args);
    run('ip', 'netns', 'add', space);
    spaces.push(space);
    run('ip', 'link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', space);
    run('ip', 'link', 'set', outer, 'master', bridge, 'up');
    inside('link', 'set', 'lo', 'up');
    inside('addr', 'add', `${address}/24`, 'dev', inner);
    inside('link', 'set', inner, 'up');
    return {
      name,
      address,
      prefix: ['ip', 'netns', 'exec', space],
      processes: () => processesIn(space),
      signal: (signal) => signalAll(space, signal),
      // The packets of one direction are enough: without answers, no connection works.
      cutFrom: (others) => {
        for (const other of others) inside('route', 'add', 'blackhole', `${other.address}/32`);
      },
      healWith: (others) => {
        for (const other of others) inside('route', 'del', 'blackhole', `${other.address}/32`);
      },
    };
  }

  return {
    address: `${prefix}.1`,
    machine,
    close: () => {
      for (const space of spaces) {
        signalAll(space, 'SIGKILL');
        run('ip', 'netns', 'del', space);
      }
      run('ip', 'link', 'del', bridge);
    },
  };
}

const processesIn = (space: string): readonly number[] =>
  run('ip', 'netns', 'pids', space).split('\n').filter(Boolean).map(Number);

function signalAll(space: string, signal: NodeJS.Signals): void {
  for (const pid of processesIn(space)) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended meanwhile.
    }
  }
}
