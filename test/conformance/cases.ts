import type { Case } from './suite.ts';
import { catalogCases } from './catalog.case.ts';

/** All conformance cases, in the order of the specification's sections. */
export const cases: readonly Case[] = [...catalogCases];
