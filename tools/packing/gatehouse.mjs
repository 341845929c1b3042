#!/usr/bin/env node
// The `gatehouse` program of the package, where it is in `bin/`, next to the modules that it imports here.
import { endWithNpm } from './end-with-npm.mjs';
import { programFor } from './program-for.mjs';

endWithNpm();
await import(['..', 'dist', ...programFor(process.argv.slice(2))].join('/'));
