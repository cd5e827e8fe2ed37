import type { McpSettings, McpToolName } from '../../../config/settings/mcp.ts';
import type { ValueSettings } from '../../../contract/value-schemas.ts';
import type { Model } from '../../../model/types.ts';
import { describeModel } from './describe-model.ts';
import { functionTools } from './functions.ts';
import { readingTools } from './reading.ts';
import type { Tool } from './tool.ts';
import { writingTools } from './writing.ts';

/** The tools of an agent: those that the configuration offers, as far as the model, as its user sees it, has use for them. */
export function toolsFor(
  model: Model,
  { tools: offered }: Pick<McpSettings, 'tools'>,
  settings: ValueSettings,
): Tool[] {
  const isOffered = (name: string): boolean => offered.includes(name as McpToolName);
  const named = [describeModel(model, offered), ...readingTools(model), ...writingTools(model)];
  return [
    ...named.filter(({ name }) => isOffered(name)),
    ...(isOffered('functions') ? functionTools(model, settings) : []),
  ];
}
