// `npm test -- --busy 5`: the same tests beside a program that keeps every core busy, to reveal tests that measure the
// machine instead of the service.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** It ends with the process that started it, however that ends. */
const SPIN = `
  process.on('disconnect', () => process.exit());
  const spin = () => {
    for (const end = Date.now() + 200; Date.now() < end; );
    setImmediate(spin);
  };
  spin();
`;

/** Does the work while every core is busy. */
export async function besideBusyCores(work) {
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
  const programs = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['--eval', SPIN], { stdio }),
  );
  try {
    return await work();
  } finally {
    for (const program of programs) program.kill('SIGKILL');
  }
}
