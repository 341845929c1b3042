import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AnswerLateError, AnswerWatch, noteAnswered, notePacket, type WatchedConnection } from './answer-watch.ts';

interface Line {
  readonly connection: EventEmitter & WatchedConnection;
  readonly destroyedWith: unknown[];
}

function newLine(watch: AnswerWatch): Line {
  const destroyedWith: unknown[] = [];
  const stream = { destroy: (error: unknown) => destroyedWith.push(error) };
  const connection = Object.assign(new EventEmitter(), { stream });
  watch.guard(connection);
  return { connection, destroyedWith };
}

let watch: AnswerWatch;
let line: Line;

beforeEach(() => {
  vi.useFakeTimers();
  watch = new AnswerWatch(2_000);
  line = newLine(watch);
});
afterEach(() => vi.useRealTimers());

describe('a connection', () => {
  test('without an answer in time is closed, once, and others are not', () => {
    const other = newLine(watch);
    notePacket(line.connection);
    vi.advanceTimersByTime(2_000);
    expect(line.destroyedWith).toEqual([]);
    vi.advanceTimersByTime(10_000);
    expect(line.destroyedWith).toEqual([expect.any(AnswerLateError)]);
    expect(other.destroyedWith).toEqual([]);
  });

  test('is not closed while each of its packets is answered in time', () => {
    for (let count = 0; count < 10; count += 1) {
      notePacket(line.connection);
      notePacket(line.connection);
      vi.advanceTimersByTime(1_500);
      noteAnswered(line.connection);
      vi.advanceTimersByTime(1_500);
      noteAnswered(line.connection);
    }
    vi.advanceTimersByTime(60_000);
    expect(line.destroyedWith).toEqual([]);
  });

  test('is closed if only the first of two packets is answered', () => {
    notePacket(line.connection);
    notePacket(line.connection);
    noteAnswered(line.connection);
    vi.advanceTimersByTime(3_000);
    expect(line.destroyedWith).toHaveLength(1);
  });

  test('that was idle for long gets the whole time for its next packet', () => {
    vi.advanceTimersByTime(60_000);
    notePacket(line.connection);
    vi.advanceTimersByTime(2_000);
    expect(line.destroyedWith).toEqual([]);
  });

  test('that has ended is forgotten, and the timer ends with the last one', () => {
    notePacket(line.connection);
    line.connection.emit('end');
    noteAnswered(line.connection);
    expect(vi.getTimerCount()).toBe(0);
    const next = newLine(watch);
    notePacket(next.connection);
    vi.advanceTimersByTime(3_000);
    expect(next.destroyedWith).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
