#!/usr/bin/env node
// The `gatehouse` program of the npm package. There, this file and the modules that it imports are in `bin/`.
import { endWithNpm } from './end-with-npm.mjs';
import { programFor } from './program-for.mjs';

endWithNpm();
await import(['..', 'dist', ...programFor(process.argv.slice(2))].join('/'));
