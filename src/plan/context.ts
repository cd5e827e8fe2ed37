import type { Model } from '../model/types.ts';
import type { FilterSettings } from './condition/comparison.ts';
import type { PathSettings } from './condition/scope.ts';
import type { ProjectionContext } from './read/projection.ts';

/** What requests are planned with: settings of `config.yaml`, and how their statements are printed. */
export interface PlanContext extends FilterSettings, PathSettings, ProjectionContext {
  /** The model as the caller sees it. */
  readonly model: Model;
}
