import { expect, test } from 'vitest';
import { isFromWorker, isToWorker } from './messages.ts';

test.each([
  ['a message of this service', { type: 'gatehouse:stop' }, true],
  ['a message of Node', { type: 'NODE_HANDLE' }, false],
  ['a message of a library', { cmd: 'gatehouse:stop' }, false],
  ['a type that is no text', { type: 7 }, false],
  ['a text', 'gatehouse:stop', false],
  ['null', null, false],
])('%s', (_, message, isOurs) => {
  expect([isToWorker(message), isFromWorker(message)]).toEqual([isOurs, isOurs]);
});
