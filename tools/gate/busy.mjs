// `npm test -- --busy 5` runs the tests five times while every core is busy. This reveals tests that measure the
// machine instead of the service.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** This program ends with the process that started it, however that process ends. */
const SPIN = `
  process.on('disconnect', () => process.exit());
  const spin = () => {
    for (const end = Date.now() + 200; Date.now() < end; );
    setImmediate(spin);
  };
  spin();
`;

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
