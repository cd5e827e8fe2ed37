import type { Target } from '../targets/target.ts';
import type { Case, SequenceCase } from './suite.ts';
import type { WriteCase } from './write-suite.ts';
import { arrayCases } from './writes-array.case.ts';
import { atomicCases } from './writes-atomic.case.ts';
import { attributeCases } from './attributes.case.ts';
import { bodyCases } from './writes-bodies.case.ts';
import { catalogCases } from './catalog.case.ts';
import { clientCases } from './clients.case.ts';
import { clientSetCases } from './sets-clients.case.ts';
import { clientWriteCases } from './writes-clients.case.ts';
import { collectionCases } from './collections.case.ts';
import { combineSetCases } from './sets-combine.case.ts';
import { computeCases, computeSetCases } from './compute.case.ts';
import { constraintCases } from './writes-constraints.case.ts';
import { createCases } from './writes-create.case.ts';
import { createSetCases } from './sets-create.case.ts';
import { deleteCases } from './writes-delete.case.ts';
import { deletedInSetCases } from './sets-deleted.case.ts';
import { distinctCases, distinctSetCases } from './distinct.case.ts';
import { entityCases, togetherCases } from './entities.case.ts';
import { errorCases } from './errors.case.ts';
import { ifMatchCases, tagCases } from './etags.case.ts';
import { exactCaseCases } from './exact-case.case.ts';
import { expandAndValueCases } from './expand.case.ts';
import { filterErrorCases } from './filter-errors.case.ts';
import { filterLogicCases } from './filter-logic.case.ts';
import { filterPathCases } from './filter-paths.case.ts';
import { filterSetCases } from './sets-filter.case.ts';
import { filterTextCases } from './filter-text.case.ts';
import { filterValueCases } from './filter-values.case.ts';
import { formatCases } from './formats.case.ts';
import { imageCases } from './images.case.ts';
import { keepSetCases } from './sets-keep.case.ts';
import { keyCases } from './writes-keys.case.ts';
import { lockCases } from './locks.case.ts';
import { newKeyCases } from './writes-new-keys.case.ts';
import { queryPlanCases, queryPlanSetCases } from './query-plan.case.ts';
import { readSetCases } from './sets-read.case.ts';
import { refusedCases } from './writes-refused.case.ts';
import { refusedDeleteCases } from './writes-delete-refused.case.ts';
import { relatedCases } from './related.case.ts';
import { relatedSetCases } from './sets-related.case.ts';
import { nestedCases } from './writes-nested.case.ts';
import { relationCases } from './writes-relations.case.ts';
import { unchangedCases } from './writes-unchanged.case.ts';
import { updateCases } from './writes-update.case.ts';
import { uploadCases } from './writes-uploads.case.ts';
import { valueCases } from './writes-values.case.ts';

/** All conformance cases of a target, in the order of the specification's sections. */
export const casesFor = ({ ignoresCase }: Target): readonly Case[] => [
  ...catalogCases,
  ...entityCases,
  ...collectionCases,
  ...relatedCases,
  ...filterValueCases,
  ...filterLogicCases,
  ...filterPathCases,
  ...filterTextCases,
  ...exactCaseCases(ignoresCase),
  ...filterErrorCases,
  ...attributeCases,
  ...expandAndValueCases,
  ...computeCases,
  ...distinctCases,
  ...queryPlanCases,
  ...errorCases,
  ...clientCases,
];

/** The cases that take several requests and change no entities: at the same time, entity sets, images and BLOBs. */
export const setCases: readonly SequenceCase[] = [
  ...togetherCases,
  ...createSetCases,
  ...relatedSetCases,
  ...readSetCases,
  ...filterSetCases,
  ...combineSetCases,
  ...keepSetCases,
  ...clientSetCases,
  ...imageCases,
  ...tagCases,
  ...formatCases,
  ...computeSetCases,
  ...distinctSetCases,
  ...queryPlanSetCases,
];

/** The cases that change entities, each its own. */
export const writeCases: readonly WriteCase[] = [
  ...createCases,
  ...newKeyCases,
  ...valueCases,
  ...updateCases,
  ...unchangedCases,
  ...ifMatchCases,
  ...arrayCases,
  ...relationCases,
  ...nestedCases,
  ...keyCases,
  ...constraintCases,
  ...refusedCases,
  ...uploadCases,
  ...bodyCases,
  ...deleteCases,
  ...refusedDeleteCases,
  ...atomicCases,
  ...lockCases,
  ...clientWriteCases,
  ...deletedInSetCases,
];
