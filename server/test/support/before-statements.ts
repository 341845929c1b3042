import type { Connections } from '../../src/system-log/relay/connections.ts';

/** Makes connections on which something happens, on another connection, before each statement. */
export const beforeStatements = (connections: Connections, act: (text: string) => Promise<unknown>): Connections => ({
  withConnection: (use) =>
    connections.withConnection((connection) => {
      // The statements keep their order, because the next one waits until the earlier ones have been sent.
      let sent: Promise<unknown> = Promise.resolve();
      return use({
        query: (text, values, name) => {
          const turn = sent.then(() => act(text)).then(() => connection.query(text, values, name));
          sent = turn.catch(() => undefined);
          return turn;
        },
      });
    }),
});
