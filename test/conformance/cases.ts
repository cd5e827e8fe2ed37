import type { Case } from './suite.ts';
import { attributeCases } from './attributes.case.ts';
import { catalogCases } from './catalog.case.ts';
import { collectionCases } from './collections.case.ts';
import { entityCases } from './entities.case.ts';
import { errorCases } from './errors.case.ts';
import { expandAndValueCases } from './expand.case.ts';
import { filterErrorCases } from './filter-errors.case.ts';
import { filterLogicCases } from './filter-logic.case.ts';
import { filterPathCases } from './filter-paths.case.ts';
import { filterTextCases } from './filter-text.case.ts';
import { filterValueCases } from './filter-values.case.ts';
import { relatedCases } from './related.case.ts';
import type { WriteCase } from './write-suite.ts';
import { createCases } from './writes-create.case.ts';
import { updateCases } from './writes-update.case.ts';
import { valueCases } from './writes-values.case.ts';

/** All conformance cases, in the order of the specification's sections. */
export const cases: readonly Case[] = [
  ...catalogCases,
  ...entityCases,
  ...collectionCases,
  ...relatedCases,
  ...filterValueCases,
  ...filterLogicCases,
  ...filterPathCases,
  ...filterTextCases,
  ...filterErrorCases,
  ...attributeCases,
  ...expandAndValueCases,
  ...errorCases,
];

/** The cases that change entities, each its own. */
export const writeCases: readonly WriteCase[] = [...createCases, ...valueCases, ...updateCases];
