export { createGeography } from './geography.ts';
