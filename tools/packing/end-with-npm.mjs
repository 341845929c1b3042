import { readFileSync } from 'node:fs';

const LOOK_MILLISECONDS = 500;

/** Name and parent of a process; null where the system does not say so by files. */
function processOf(pid) {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return { name, parent };
  } catch {
    return null;
  }
}

/** Returns the processes that run this one: its parent, and npm itself where npm has put a shell between. */
function callers() {
  const parent = process.ppid;
  const shell = processOf(parent);
  return shell?.name.endsWith('sh') === true ? `${parent} ${shell.parent}` : String(parent);
}

/**
 * Has this process stop as SIGTERM has it when npm, which runs it, is gone. npm ends on SIGTERM and does not wait for
 * what it started, and nobody could stop by its id a server that answers to nobody. Who starts this program himself may
 * leave, as `nohup` has it.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const before = callers();
  const look = setInterval(() => {
    if (callers() === before) return;
    clearInterval(look);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MILLISECONDS).unref();
}
