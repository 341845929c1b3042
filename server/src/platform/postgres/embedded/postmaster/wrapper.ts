import type { Binaries } from '../cluster/binaries.ts';

/**
 * The wrapper runs the server whose command is given as arguments. When standard input ends, it requests a fast
 * shutdown (SIGINT). It repeats the signal, which is lost if it arrives before the server has installed its handlers.
 * `cat` is a separate process, so that the shell itself can wait for the server.
 */
const SHELL_WRAPPER = `
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
(
  cat <&3
  while kill -INT "$server"; do sleep 1; done
) >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$server"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
`;

/** The wrapper for Windows, which has neither this shell nor this signal. */
const NODE_WRAPPER = `
const { spawn, spawnSync } = require('node:child_process');
const [pgCtl, directory, file, ...rest] = process.argv.slice(1);
const server = spawn(file, rest, { stdio: ['ignore', 'inherit', 'inherit'] });
server.on('exit', (status) => process.exit(status ?? 1));
process.stdin.on('end', () => spawnSync(pgCtl, ['stop', '-D', directory, '-m', 'fast'])).resume();
`;

export function wrapCommand(
  binaries: Binaries,
  clusterDirectory: string,
  command: readonly string[],
): [file: string, ...programArguments: string[]] {
  if (process.platform === 'win32') {
    return [process.execPath, '-e', NODE_WRAPPER, binaries.pgCtl, clusterDirectory, ...command];
  }
  return ['/bin/sh', '-c', SHELL_WRAPPER, 'gatehouse-postgres', ...command];
}
