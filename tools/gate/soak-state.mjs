import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// A soak takes hours. Each finished step is noted with its result, so that a soak that was stopped can go on.

function readSteps(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Opens the notes about the soak of one state of the sources, which `key` names. With `isFresh`, earlier notes do not
 * count. A failed step is finished too, so that repeating the soak does not hide it.
 */
export function openSoakState(folder, key, { isFresh = false } = {}) {
  const file = join(folder, `${key}.json`);
  const steps = isFresh ? {} : readSteps(file);
  return {
    file,
    resultOf: (name) => steps[name],
    finish: (name, result) => {
      steps[name] = result;
      mkdirSync(folder, { recursive: true });
      // The soak may be killed at any moment, and must then find the earlier notes.
      writeFileSync(`${file}.new`, `${JSON.stringify(steps, null, 2)}\n`);
      renameSync(`${file}.new`, file);
    },
  };
}

/**
 * Divides the rounds of a program into parts, each of which is a step. `roundsEach` is absent for a program that runs
 * as a whole. Each part is told its first round, so that the parts together strike like one run.
 */
export function partsOf({ command, rounds, roundsEach = rounds }) {
  const name = command.join(' ');
  if (rounds === undefined) return [{ name, command }];
  const count = Math.ceil(rounds / roundsEach);
  return Array.from({ length: count }, (_, index) => {
    const first = index * roundsEach;
    const own = Math.min(roundsEach, rounds - first);
    const args = ['--rounds', String(own), '--first', String(first)];
    return { name: `${name}, part ${index + 1} of ${count}`, command: [...command, ...args] };
  });
}

/** Adds up the figures of all parts. Of figures whose names begin with `longest`, the longest counts. */
export function sumOf(figures) {
  const sums = {};
  for (const [name, figure] of figures.flatMap((one) => Object.entries(one)))
    sums[name] = name.startsWith('longest') ? Math.max(sums[name] ?? 0, figure) : (sums[name] ?? 0) + figure;
  return sums;
}
