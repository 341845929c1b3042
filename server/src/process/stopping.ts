import type { Logger } from 'pino';
import { EXIT } from './exit-codes.ts';
import { isSupervised } from './supervision/supervised.ts';

/** The steps that stop the parts of a process. The last step runs first, because later parts need earlier ones. */
export type Undo = (() => Promise<unknown>)[];

export async function stopAll({ undo, log }: { readonly undo: Undo; readonly log: Logger }): Promise<boolean> {
  let isClean = true;
  for (const stop of undo.splice(0).reverse()) {
    await stop().catch((error: unknown) => {
      isClean = false;
      log.error({ err: error }, 'a component could not be stopped cleanly');
    });
  }
  return isClean;
}

/** Ends the process after an uncaught error or unhandled rejection, because its state is then unknown. */
export function endOnFaults(log: Logger): void {
  const end = (error: unknown): void => {
    log.fatal({ err: error }, 'unhandled error');
    process.exit(EXIT.fault);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/** Resolves at the first SIGTERM or SIGINT. Without a supervisor, a second signal ends the process at once. */
export function stopSignal(log: Logger): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: NodeJS.Signals): void => {
      if (isStopping && !isSupervised()) process.exit(EXIT.failure);
      if (isStopping) return;
      isStopping = true;
      log.info({ signal }, 'stopping');
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}
