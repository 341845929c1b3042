import { progressOf } from '../log/log-progress.ts';

const EVERY_MILLISECONDS = 200;
const WIDTH = 30;

const number = (value: number): string => Math.round(value).toLocaleString('en');

function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

export interface ProgressBar {
  /** `done` and `all` have the same unit, for example bytes. `rows` is the number of rows or events so far. */
  readonly show: (done: number, all: number, rows: number) => void;
  readonly end: () => void;
}

/** A terminal gets a bar; any other output gets lines. */
export function progressBar(name: string, verb: string, stream: NodeJS.WriteStream = process.stderr): ProgressBar {
  if (!stream.isTTY) {
    const lines = progressOf(name, verb);
    return {
      // The total number of rows is estimated from the share that is done.
      show: (done, all, rows) => lines(rows, done === 0 ? rows : Math.max(rows, Math.round((rows * all) / done))),
      end: () => undefined,
    };
  }
  const startedAt = performance.now();
  let shownAt = Number.NEGATIVE_INFINITY;
  let first: number | null = null;
  return {
    show: (done, all, rows) => {
      first ??= rows;
      const now = performance.now();
      if (now - shownAt < EVERY_MILLISECONDS) return;
      shownAt = now;
      const share = all === 0 ? 1 : Math.min(1, done / all);
      const seconds = (now - startedAt) / 1_000;
      const filled = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '-');
      const rate = number((rows - first) / seconds);
      const left = share === 0 ? '' : `, ${clock((seconds * (1 - share)) / share)} left`;
      const percent = String(Math.floor(share * 100)).padStart(3);
      stream.write(`\r\u001B[K${name} [${filled}] ${percent} %  ${verb} ${number(rows)} (${rate} per second${left})`);
    },
    end: () => {
      if (first !== null) stream.write('\n');
    },
  };
}
