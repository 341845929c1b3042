/** Standard output for long texts: waits until each text is written, and notices when the reader has gone. */
export interface LongOutput {
  /** Resolves with false if the reader has gone (`| head`), so nothing more needs to be written. */
  write(text: string): Promise<boolean>;
  /** Aborted when the reader has gone. */
  readonly gone: AbortSignal;
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');

export function longOutput(stream: NodeJS.WriteStream = process.stdout): LongOutput {
  const gone = new AbortController();
  // Without a listener, the event would end the process with a stack trace.
  stream.on('error', (error) => {
    if (!isGone(error)) throw error;
    gone.abort();
  });
  return {
    gone: gone.signal,
    write: (text) =>
      new Promise((resolve, reject) => {
        if (gone.signal.aborted) {
          resolve(false);
          return;
        }
        stream.write(text, (error) => {
          if (error === undefined || error === null) resolve(true);
          else if (isGone(error)) resolve(false);
          else reject(error);
        });
      }),
  };
}
