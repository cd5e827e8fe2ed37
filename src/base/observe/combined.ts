import type { Observer, WholeRequestObserver } from './observer.ts';
import type { WriteObserver } from './writes.ts';

/** Observers as one: each hears of everything, in their order. */
export function combined(observers: readonly Observer[]): Observer {
  return (request) => {
    const all = observers.map((observe) => observe(request));
    const [only, ...more] = all;
    return only !== undefined && more.length === 0 ? only : together(all);
  };
}

function together(all: readonly WholeRequestObserver[]): WholeRequestObserver {
  const tell = (about: (observer: WholeRequestObserver) => void): void => all.forEach(about);
  return {
    stageDone: (stage, milliseconds) => tell((one) => one.stageDone(stage, milliseconds)),
    statementRun: (statement) => tell((one) => one.statementRun(statement)),
    poolWaited: (milliseconds) => tell((one) => one.poolWaited(milliseconds)),
    errorMet: (error) => tell((one) => one.errorMet(error)),
    writes: writesTogether(all.flatMap(({ writes }) => writes ?? [])),
    requestEnded: (end) => tell((one) => one.requestEnded(end)),
  };
}

function writesTogether(all: readonly WriteObserver[]): WriteObserver | null {
  const [first, ...more] = all;
  if (first === undefined || more.length === 0) return first ?? null;
  const tell = (about: (observer: WriteObserver) => void): void => all.forEach(about);
  return {
    wantsValues: (dataclass, member) => all.some((one) => one.wantsValues(dataclass, member)),
    checkWritable: () => tell((one) => one.checkWritable()),
    entitiesWritten: (principal, entities) =>
      tell((one) => one.entitiesWritten(principal, entities)),
    entitiesRefused: (principal, entities) =>
      tell((one) => one.entitiesRefused(principal, entities)),
    functionCalled: (principal, call) => tell((one) => one.functionCalled(principal, call)),
    requestRefused: (principal, request) => tell((one) => one.requestRefused(principal, request)),
  };
}
