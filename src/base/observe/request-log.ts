import { jsonString } from '../json-string.ts';
import { loggedUrl } from './logged-url.ts';
import type { RequestLogger } from './logger.ts';
import type { Observer, Stage } from './observer.ts';
import { isTrouble, TroubleLog } from './trouble-log.ts';

/**
 * Writes requests to a log: a line each when it has ended, with what was asked, how it ended and where the time went; before it
 * a line for each error, and at level debug for each statement and each wait for a connection. What the state of the database makes of many
 * requests is a line for all of them ({@link TroubleLog}). Probes that went well are not written.
 */
export function requestLog(log: RequestLogger): Observer {
  const trouble = new TroubleLog(log);
  return ({ id: reqId, verb, url }) => {
    const stages: Stage[] = [];
    const times: number[] = [];
    let troubles: Set<string> | null = null;
    return {
      stageDone: (stage, milliseconds) => {
        const at = stages.indexOf(stage);
        if (at === -1) {
          stages.push(stage);
          times.push(milliseconds);
        } else {
          times[at] = (times[at] ?? 0) + milliseconds;
        }
      },
      statementRun: ({ name, text: sql, milliseconds, rows }) => {
        const outcome = rows === null ? { failed: true } : { rows };
        log.debug({ reqId, name, sql, ms: rounded(milliseconds), ...outcome }, 'statement');
      },
      poolWaited: (milliseconds) => {
        log.debug({ reqId, ms: rounded(milliseconds) }, 'waited for a connection');
      },
      errorMet: (err) => {
        if (!isTrouble(err)) {
          log.error({ reqId, err }, err.message);
          return;
        }
        troubles ??= new Set();
        if (troubles.has(err.errorName)) return;
        troubles.add(err.errorName);
        trouble.met(err, reqId);
      },
      writes: null,
      requestEnded: ({ status, milliseconds, clientGone }) => {
        if (url.startsWith('/health/')) return;
        const timed = stages.map((stage, at) => `"${stage}":${decimal(times[at] ?? 0)}`);
        // There is one for each request: a writer for any object takes three times as long for it.
        log.line(
          `"reqId":${jsonString(reqId)},"method":"${verb}","url":${jsonString(loggedUrl(url))},"statusCode":${status},` +
            (clientGone ? '"clientGone":true,' : '') +
            (troubles === null ? '' : `"errors":${JSON.stringify([...troubles])},`) +
            `"ms":${decimal(milliseconds)},"stages":{${timed.join(',')}}`,
          'request',
        );
      },
    };
  };
}

/** To the microsecond. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** What stands behind the point of each number of microseconds. */
const FRACTIONS = Array.from(
  { length: 1000 },
  (_, microseconds) => `.${String(microseconds).padStart(3, '0')}`,
);

/** The same as JSON: to print a fraction takes as long as all else of a line. */
function decimal(milliseconds: number): string {
  const microseconds = Math.round(milliseconds * 1000);
  return `${Math.floor(microseconds / 1000)}${FRACTIONS[microseconds % 1000] ?? ''}`;
}
