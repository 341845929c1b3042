import { Socket } from 'node:net';

/**
 * A socket whose writes within one turn of the event loop leave in one system call. Statements sent together (BEGIN and
 * the first one, the last one and COMMIT) then wake the backend only once, which on few cores is their main cost.
 */
export function gatheringSocket(): Socket {
  const socket = new Socket();
  const write = socket.write.bind(socket);
  let isGathering = false;
  const release = (): void => {
    isGathering = false;
    socket.uncork();
  };
  const gather = (chunk: Uint8Array | string, ...rest: never[]): boolean => {
    if (!isGathering) {
      isGathering = true;
      socket.cork();
      process.nextTick(release);
    }
    return write(chunk, ...rest);
  };
  // It must not happen earlier: `connect` puts Node's own `write` back.
  socket.once('connect', () => {
    socket.write = gather;
  });
  return socket;
}
