/** The message that the serving process sends to its supervisor once the service answers requests. */
interface ReadyMessage {
  readonly type: 'gatehouse:ready';
}

export const isReadyMessage = (value: unknown): value is ReadyMessage =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'gatehouse:ready';

export const reportReady = (): boolean => process.send?.({ type: 'gatehouse:ready' } satisfies ReadyMessage) ?? false;

export const isSupervised = (): boolean => process.connected;

/** Calls `end` when the supervisor has ended, even if kill -9 ended it. */
export function endWithSupervisor(end: () => void): void {
  if (isSupervised()) process.once('disconnect', end);
}
