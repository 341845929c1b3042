import type { DeliveryResult, OpenSink, SinkBatch } from '../sink.ts';

/** The time that a provider has to end a delivery after its signal aborts. */
const ENDING_MILLISECONDS = 1_000;

const TOO_LATE: DeliveryResult = { outcome: 'failed', status: null, reason: 'no answer in time' };

/** If the provider throws or ignores its signal, the delivery counts as failed. */
export async function attemptDelivery(
  open: OpenSink,
  batch: SinkBatch,
  signal: AbortSignal,
  milliseconds: number,
): Promise<DeliveryResult> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, milliseconds);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  let ending: NodeJS.Timeout | undefined;
  const tooLate = new Promise<DeliveryResult>((resolve) => {
    const end = (): void => {
      ending = setTimeout(resolve, ENDING_MILLISECONDS, TOO_LATE);
    };
    if (controller.signal.aborted) end();
    else controller.signal.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([open.deliver(batch, controller.signal), tooLate]);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    return { outcome: 'failed', status: null, reason: `the delivery ended with an error of its own: ${name}` };
  } finally {
    clearTimeout(timer);
    clearTimeout(ending);
    signal.removeEventListener('abort', abort);
  }
}
