import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail server that stores the emails it accepts. `listen` starts the server. */
export interface MailServer {
  readonly received: string[];
  /** Refuses emails with this code, or accepts them again. */
  readonly refuse: (code: number | null) => void;
  /** Returns the port. */
  readonly listen: () => Promise<number>;
  readonly close: () => Promise<void>;
}

export function mailServer(onReceived?: (text: string) => void): MailServer {
  const received: string[] = [];
  let refusal: { code: number; text: string } | null = null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo(_address, _session, done) {
      done(refusal === null ? null : Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData(stream, _session, done) {
      let text = '';
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
      });
      stream.on('end', () => {
        received.push(text);
        onReceived?.(text);
        done();
      });
    },
  });
  return {
    received,
    refuse: (code) => {
      refusal = code === null ? null : { code, text: 'refused by the test' };
    },
    listen: () =>
      new Promise<number>((resolve) => {
        const listening = server.listen(0, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port));
      }),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
