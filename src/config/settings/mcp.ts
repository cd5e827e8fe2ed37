import { z } from 'zod';
import { flag, integer, overlapProblems, type SettingProblem } from './fields.ts';

/** The path at which agents are served. */
export const MCP_PATH = '/mcp';

/** The tools that agents may be given; `functions` stands for one tool for each function. */
export const MCP_TOOLS = [
  'describe_model',
  'query',
  'read',
  'aggregate',
  'compute',
  'distinct',
  'functions',
  'save',
  'delete',
] as const;

/** `mcp:` of `config.yaml`: what agents may do by the Model Context Protocol. */
export const mcpSettings = z.strictObject({
  enabled: flag(false).describe('Serve agents at /mcp by the Model Context Protocol.'),
  tools: z
    .array(z.enum(MCP_TOOLS))
    .default([...MCP_TOOLS])
    .describe(`The tools that agents are given: ${MCP_TOOLS.join(', ')}; all by default.`),
  write: flag(false).describe(
    'Whether administrators, and without roles all callers, may change data through agents. Of other roles, mcp: write says so.',
  ),
  maxRequestBytes: integer(16_384, 1_048_576)
    .default(262_144)
    .describe('The largest message of an agent; longer ones are refused.'),
  maxAnswerBytes: integer(4096, 1_048_576)
    .default(65_536)
    .describe('The largest answer of a tool; longer ones are cut, and say so.'),
});

export type McpSettings = z.output<typeof mcpSettings>;

interface SettingsBeside {
  readonly mcp: McpSettings;
  readonly proxy: readonly { readonly prefix: string }[];
}

/** Finds what in the rest of the configuration contradicts `mcp`. */
export function* mcpProblems({ mcp, proxy }: SettingsBeside): Generator<SettingProblem> {
  if (mcp.enabled) yield* overlapProblems(proxy, MCP_PATH, 'where mcp.enabled serves agents');
}
