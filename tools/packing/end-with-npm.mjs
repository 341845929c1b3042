import { readFileSync } from 'node:fs';

const LOOK_MILLISECONDS = 500;

/** Returns a process's name and its parent's pid, or null if they cannot be read from /proc. */
function processOf(pid) {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return { name, parent };
  } catch {
    return null;
  }
}

/**
 * Returns the parent's pid and, if the parent is a shell, also the pid of the shell's parent. npm may start this
 * process through a shell.
 */
function callers() {
  const parent = process.ppid;
  const shell = processOf(parent);
  return shell?.name.endsWith('sh') === true ? `${parent} ${shell.parent}` : String(parent);
}

/**
 * If npm runs this process, stops it with SIGTERM once npm has ended. On SIGTERM, npm can end and leave its child
 * running.
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
