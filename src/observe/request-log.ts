import { loggedUrl } from './logged-url.ts';
import type { Logger } from './logger.ts';
import type { Observer, Stage } from './observer.ts';
import { isTrouble, TroubleLog } from './trouble-log.ts';

/**
 * Writes requests to a log: a line each when it has ended, with what was asked, how it ended and where the time went; before it
 * a line for each error, and at level debug for each statement and each wait for a connection. What the state of the database makes of many
 * requests is a line for all of them ({@link TroubleLog}). Probes that went well are not written.
 */
export function requestLog(log: Logger): Observer {
  const trouble = new TroubleLog(log);
  return ({ id: reqId, verb: method, url }) => {
    const stages: Partial<Record<Stage, number>> = {};
    const troubles = new Set<string>();
    return {
      stageDone: (stage, milliseconds) => {
        stages[stage] = rounded((stages[stage] ?? 0) + milliseconds);
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
        } else if (!troubles.has(err.errorName)) {
          troubles.add(err.errorName);
          trouble.met(err, reqId);
        }
      },
      writes: null,
      requestEnded: ({ status: statusCode, milliseconds, clientGone }) => {
        if (url.startsWith('/health/')) return;
        log.info(
          {
            reqId,
            method,
            url: loggedUrl(url),
            statusCode,
            ...(clientGone ? { clientGone } : {}),
            ...(troubles.size === 0 ? {} : { errors: [...troubles] }),
            ms: rounded(milliseconds),
            stages,
          },
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
