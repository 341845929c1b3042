/** Standard output with writes that can be awaited. It notices when the reader has closed the pipe. */
export interface LongOutput {
  /** Resolves to false if the reader has closed the pipe (`| head`). */
  write(text: string): Promise<boolean>;
  /** This signal is aborted when the reader has closed the pipe. */
  readonly gone: AbortSignal;
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');

export function longOutput(stream: NodeJS.WriteStream = process.stdout): LongOutput {
  const gone = new AbortController();
  // Without a listener, this event would end the process with a stack trace.
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
