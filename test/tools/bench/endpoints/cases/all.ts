import type { Case } from './case.ts';
import { otherCases } from './others.ts';
import { pageCases } from './pages.ts';
import { relationCases } from './relations.ts';
import { writeCases } from './writes.ts';

/**
 * All cases, for one database: those that change it come last.
 * @param shared whether both sides have the same one
 */
export function allCases(shared: boolean): readonly Case[] {
  return [...pageCases, ...relationCases, ...otherCases(), ...writeCases(shared)];
}
