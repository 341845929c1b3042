import { expect, test } from 'vitest';
import { createImportThrottle } from './throttle-import.ts';

const looks = (...answers: readonly (number | Error)[]) => {
  const asked: (number | Error)[] = [];
  const look = async () => {
    const answer = answers[asked.length] ?? 0;
    asked.push(answer);
    if (answer instanceof Error) throw answer;
    return { isAlive: true, waiting: answer };
  };
  return { asked, look };
};

test('holds while too many wait, until few do', async () => {
  const { asked, look } = looks(60_000, 40_000, 25_000);
  await createImportThrottle(look, 1)();
  expect(asked).toHaveLength(3);
});

test('a look that fails holds nobody back, and the next one is asked again', async () => {
  const { asked, look } = looks(new Error('the connection was terminated'), 60_000, new Error('again'), 60_000, 0);
  const throttle = createImportThrottle(look, 0);
  for (let turn = 0; turn < 3; turn += 1) await throttle();
  expect(asked).toHaveLength(5);
});
