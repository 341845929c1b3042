#!/usr/bin/env node
// This file is the `gatehouse` program of the npm package.
import { endWithNpm } from './end-with-npm.mjs';
import { programFor } from './program-for.mjs';

endWithNpm();
await import(['..', 'dist', ...programFor(process.argv.slice(2))].join('/'));
