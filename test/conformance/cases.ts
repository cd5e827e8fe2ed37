import { readdir } from 'node:fs/promises';
import type { Target } from '../targets/target.ts';
import type { Case, SequenceCase } from './suite.ts';
import type { WriteCase } from './write-suite.ts';

/** What a `*.case.ts` file may export. */
interface CaseFile {
  /** Single requests, or a function where their answers depend on the target. */
  readonly reads?: readonly Case[] | ((target: Target) => readonly Case[]);
  /** Several requests that change no entities. */
  readonly sequences?: readonly SequenceCase[];
  /** Requests that change entities, each case its own. */
  readonly writes?: readonly WriteCase[];
}

/** The conformance cases of a target, by what they may change. */
export interface Cases {
  readonly reads: readonly Case[];
  readonly sequences: readonly SequenceCase[];
  readonly writes: readonly WriteCase[];
}

/** The files of this folder that hold cases, by name. */
async function caseFiles(): Promise<readonly string[]> {
  const names = await readdir(new URL('.', import.meta.url));
  return names.filter((name) => name.endsWith('.case.ts')).toSorted();
}

/** Loads the cases of all `*.case.ts` files of this folder, or of these. */
export async function loadCases(target: Target, names?: readonly string[]): Promise<Cases> {
  const files = await Promise.all(
    (names ?? (await caseFiles())).map(
      (name) => import(new URL(name, import.meta.url).href) as Promise<CaseFile>,
    ),
  );
  return {
    reads: files.flatMap(({ reads = [] }) => (typeof reads === 'function' ? reads(target) : reads)),
    sequences: files.flatMap(({ sequences = [] }) => sequences),
    writes: files.flatMap(({ writes = [] }) => writes),
  };
}
