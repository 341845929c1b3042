export { createGeography, type Geography } from './geography.ts';
