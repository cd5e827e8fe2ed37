import type { Config } from '../../src/config/config.ts';

/** An engine that the conformance suite runs on. */
export interface Target {
  readonly engine: Config['database']['engine'];
  readonly name: string;
  /** Why the target cannot be had on this machine, or null when it can. */
  readonly unavailable: () => Promise<string | null>;
  /** Makes a fresh sample database. */
  readonly open: () => Promise<OpenTarget>;
  /** The cases that an engine cannot pass, each group with its reason. */
  readonly skip: readonly SkippedCases[];
}

/** Cases that are skipped on the engines whose version string matches. */
export interface SkippedCases {
  readonly engine: RegExp;
  readonly reason: string;
  readonly cases: readonly string[];
}

/** A fresh sample database, and how a gateway is pointed at it. */
export interface OpenTarget {
  readonly database: Config['database'];
  readonly close: () => Promise<void>;
}
