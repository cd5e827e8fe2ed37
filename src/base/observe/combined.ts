import type { Observer, WholeRequestObserver } from './observer.ts';

/** Combines observers: each hears of every request. The writes and the trace of a request are those of the first observer that has them. */
export function combined([first, ...others]: readonly [Observer, ...Observer[]]): Observer {
  return others.reduce((one, other) => (request) => pair(one(request), other(request)), first);
}

function pair(one: WholeRequestObserver, other: WholeRequestObserver): WholeRequestObserver {
  return {
    requestNamed: both(one.requestNamed, other.requestNamed),
    stageDone: (stage, milliseconds) => {
      one.stageDone(stage, milliseconds);
      other.stageDone(stage, milliseconds);
    },
    statementRun: (statement) => {
      one.statementRun(statement);
      other.statementRun(statement);
    },
    poolWaited: (milliseconds) => {
      one.poolWaited(milliseconds);
      other.poolWaited(milliseconds);
    },
    errorMet: (error) => {
      one.errorMet(error);
      other.errorMet(error);
    },
    writes: one.writes ?? other.writes,
    traceHeaders: one.traceHeaders ?? other.traceHeaders,
    requestEnded: (end) => {
      one.requestEnded(end);
      other.requestEnded(end);
    },
  };
}

type Listener<Told> = ((told: Told) => void) | undefined;

function both<Told>(one: Listener<Told>, other: Listener<Told>): Listener<Told> {
  if (one === undefined) return other;
  if (other === undefined) return one;
  return (told) => {
    one(told);
    other(told);
  };
}
