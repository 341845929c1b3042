/**
 * Calls `work` with a signal that aborts after the given time, or together with `outer`. `AbortSignal.timeout` and
 * `AbortSignal.any` are not used, because their signals can be garbage-collected before they fire (nodejs/node#57736).
 */
export async function withDeadline<Result>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, milliseconds);
  outer?.addEventListener('abort', abort, { once: true });
  if (outer?.aborted === true) abort();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', abort);
  }
}
