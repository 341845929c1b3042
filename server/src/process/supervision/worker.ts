import { type FromWorker, isToWorker, type ToWorker, type WorkerStart } from './messages.ts';

// This file is the worker's side of its channel to the primary (`workers.ts`).

/**
 * Sends a message, which is lost if the primary has just ended. Without the callback, the loss would end this process.
 */
const send = (message: FromWorker): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

const onMessage = <Type extends ToWorker['type']>(
  type: Type,
  heard: (message: Extract<ToWorker, { type: Type }>) => void,
): void => {
  const isWanted = (message: ToWorker): message is Extract<ToWorker, { type: Type }> => message.type === type;
  process.on('message', (message: unknown) => {
    if (isToWorker(message) && isWanted(message)) heard(message);
  });
};

/** Reports that this worker can receive messages, and resolves with the primary's start message. */
export function waitForStart(): Promise<WorkerStart> {
  return new Promise((resolve) => {
    onMessage('gatehouse:start', resolve);
    send({ type: 'gatehouse:hello' });
  });
}

/** The primary prints the greeting of the first worker. */
export const reportListening = (greeting: string): void => send({ type: 'gatehouse:listening', greeting });

export function offerMetrics(measure: () => Promise<readonly object[]>): void {
  onMessage('gatehouse:measure', ({ request }) => {
    // A failure is not reported, because the primary waits for a limited time only.
    measure().then(
      (metrics) => send({ type: 'gatehouse:measured', request, metrics }),
      () => undefined,
    );
  });
}

/** Sends news to the other workers through the primary. It usually arrives soon, but nothing may depend on it. */
export const tellOthers = (news: unknown): void => send({ type: 'gatehouse:news', news });

export const onNews = (heard: (news: unknown) => void): void => onMessage('gatehouse:news', ({ news }) => heard(news));

/**
 * Calls `stop` once, when the primary requests a stop or has ended. Ignores SIGINT and SIGTERM, which the primary
 * handles.
 */
export function onStop(stop: () => void): void {
  let isCalled = false;
  const once = (): void => {
    if (!isCalled) stop();
    isCalled = true;
  };
  onMessage('gatehouse:stop', once);
  process.once('disconnect', once);
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
}
