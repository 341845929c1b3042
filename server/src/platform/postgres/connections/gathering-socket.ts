import { Socket } from 'node:net';

/** Creates a socket that collects writes until the next tick and sends them at once, to wake the backend less often. */
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
  // `write` must not be replaced earlier, because `connect` restores Node's own `write`.
  socket.once('connect', () => {
    socket.write = gather;
  });
  return socket;
}
